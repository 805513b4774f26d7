import {
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { RunResult } from '../../../engine/engine.ts';
import type { Pack } from '../../../engine/pack/pack.ts';
import { AppError, toAppError } from '../../../errors.ts';
import { forgetConfirmation } from '../../../memory/erase/confirmation.ts';
import { parseScope, type Scope } from '../../../memory/erase/forget.ts';
import { createMemory } from '../../../memory/memory.ts';
import { hasScope } from '../../../memory/scopes.ts';
import { sourceOf } from '../../http/auth.ts';
import { logFailure, type Sender, senderOf, toolFailure } from '../../mcp-message.ts';
import type { ConfirmForget } from '../confirm-forget.ts';
import type { McpServices } from '../mcp-services.ts';
import { callInboxTool, inboxToolsFor, isInboxTool } from './inbox-tools.ts';
import { awaitJob, callJobTool, JOB_TOOLS } from './job-tools.ts';
import { withSchemaTypes } from './lenient-input.ts';
import { findPack, MAX_SHOWN_NAME_CHARS, mayCall, nearestTool, type Profile, packsOf } from './tool-names.ts';
import { toolResult } from './tool-result.ts';
import { isObjectOutput, toolOf } from './tool-schemas.ts';

const FORGET = 'helmdeck.memory_forget';

/** The tools that the sender's token may call. */
export function listTools(services: McpServices, profile: Profile, sender: Sender): Tool[] {
  const packs = packsOf(services.engine.packs, profile).filter((pack) => mayCall(pack, sender.identity));
  return [
    ...packs.map(toolOf),
    ...(profile === 'all' ? inboxToolsFor(sender) : []),
    ...(packs.some((pack) => pack.async) ? JOB_TOOLS : []),
  ];
}

/** How the user is asked before a sweeping forget. */
interface Confirmation {
  canElicit: boolean;
  confirmForget: ConfirmForget;
}

/** Runs a tool. A failed run is a tool result with `isError`; only an unknown tool is a protocol error. */
export async function callTool(
  services: McpServices,
  profile: Profile,
  params: CallToolRequestParams,
  ctx: ServerContext,
  { canElicit, confirmForget }: Confirmation,
): Promise<CallToolResult | InputRequiredResult> {
  const sender = senderOf(ctx);
  const isJobTool = profile === 'all' && JOB_TOOLS.some(({ name }) => name === params.name);
  const isOfInbox = profile === 'all' && isInboxTool(params.name);
  const pack = isJobTool || isOfInbox ? undefined : findPack(services.engine.packs, profile, params.name);
  if (!pack && !isJobTool && !isOfInbox) throw noSuchTool(services, profile, params.name);
  const input = pack ? withSchemaTypes(pack.inputSchema, params.arguments ?? {}) : (params.arguments ?? {});
  try {
    const { inputResponses: responses } = ctx.mcpReq;
    if (isOfInbox) return await callInboxTool(services, sender, params.name, input, { canElicit, responses });
    if (!pack) {
      assertMayRunPacks(sender);
      const { caller } = sender.identity;
      const job = await callJobTool(services.jobs, caller, params.name, input, ctx.mcpReq.signal);
      return toolResult({ ...job });
    }
    if (!mayCall(pack, sender.identity)) throw missingScope(pack, sender);
    if (pack.name === FORGET) {
      const { confirm } = input;
      const scope = parseScope(input.scope);
      const { needed, facts } = await confirmationFor(services, sender, scope);
      const { caller } = sender.identity;
      const elicitation = needed && confirmForget({ caller, scope, facts, confirm, canElicit, responses });
      if (elicitation) return elicitation;
    }
    return await runPack(services, pack, input, sender, ctx);
  } catch (thrown) {
    const error = toAppError(thrown);
    logFailure(services.log, error, sender, pack?.name ?? params.name);
    return toolFailure(error, sender.requestId);
  }
}

function noSuchTool({ engine }: McpServices, profile: Profile, name: string): ProtocolError {
  const meant = nearestTool(engine.packs, profile, name);
  const shown = JSON.stringify(name.slice(0, MAX_SHOWN_NAME_CHARS).toWellFormed());
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no such tool: ${shown}.${meant ? ` Did you mean ${meant}?` : ' tools/list has those that there are.'}`,
  );
}

function confirmationFor(services: McpServices, { identity }: Sender, scope: Scope) {
  const { parts, recall } = services.memory();
  const memory = createMemory(parts, identity.caller);
  return forgetConfirmation(scope, (prefix) => recall.facets(memory, { prefix }));
}

async function runPack(
  services: McpServices,
  pack: Pack,
  input: Record<string, unknown>,
  sender: Sender,
  ctx: ServerContext,
): Promise<CallToolResult> {
  const { caller, scopes } = sender.identity;
  const source = sourceOf(sender.identity, 'mcp');
  const request = { pack: pack.name, version: pack.version, input, caller, scopes, spaceAccess: sender.identity, source };
  const { signal } = ctx.mcpReq;
  const onProgress = progressNotifier(ctx);
  if (pack.async) {
    const { job_id } = await services.jobs.start(request);
    // A job outlives the call that started it: a client that stops waiting can poll `job_status`.
    return toolResult({ ...(await awaitJob(services.jobs, caller, job_id, { signal, onProgress })) });
  }
  return packResult(pack, input, await services.engine.execute({ ...request, signal, onProgress }));
}

function packResult(
  pack: Pack,
  input: unknown,
  { output, pack: _, version: __, ...run }: RunResult,
): CallToolResult {
  const structured = isObjectOutput(pack) ? (output as Record<string, unknown>) : { result: output };
  return toolResult(structured, run, pack.text?.(output, input));
}

/** Notifies the client of the progress of a run, if the call has a progress token. */
function progressNotifier({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return ({ percent, message }: { percent: number; message?: string }) => {
    const params = {
      progressToken,
      progress: percent,
      total: 100,
      ...(message === undefined ? {} : { message }),
    };
    // Ignores a client that has disconnected; the run is aborted through its signal.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function missingScope(pack: Pack, { identity }: Sender): AppError {
  const missing = pack.scopes.find((scope) => !hasScope(identity.scopes, scope)) ?? 'packs:run';
  return new AppError('insufficient_scope', `The tool needs the scope ${missing}.`);
}

function assertMayRunPacks({ identity: { scopes } }: Sender): void {
  if (scopes.has('packs:run') || scopes.has('admin')) return;
  throw new AppError('insufficient_scope', 'The tool needs the scope packs:run.');
}
