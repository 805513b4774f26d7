import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type Tool,
} from '@modelcontextprotocol/server';
import { AppError } from '../../../errors.ts';
import { asObject } from '../../../memory/facts/validate-fact.ts';
import { acceptProposal, rejectProposal } from '../../../memory/gate/decisions.ts';
import { findProposal, inboxCounts, listInbox, type ProposalView } from '../../../memory/gate/inbox.ts';
import { createMemory, type Memory } from '../../../memory/memory.ts';
import { fullCallerName } from '../../../memory/namespace.ts';
import { hasScope } from '../../../memory/scopes.ts';
import { assertScope } from '../../http/auth.ts';
import type { Sender } from '../../mcp-message.ts';
import { INBOX_APP_URI } from '../inbox-app.ts';
import type { McpServices } from '../mcp-services.ts';
import { readableMemory } from '../sender-memory.ts';
import { toolResult } from './tool-result.ts';

// The inbox over MCP. A model may show it and ask for a decision; the decision is the answer of a person to an
// elicitation, and nothing that a model says replaces it.

const MAX_SHOWN_PROPOSALS = 20;
/** A person decides on the whole text. What does not fit into a question is decided elsewhere. */
const MAX_ASKED_CHARS = 2_000;
const REQUEST_ID = 'decide';

const SHOW = 'memory_inbox';
const DECIDE = 'memory_decide';

const INBOX_TOOLS: readonly (Tool & { scope: 'memory:read' | 'memory:review' })[] = [
  {
    name: SHOW,
    scope: 'memory:read',
    title: 'Inbox',
    description: 'Show the user what waits for their decision before it becomes a fact.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        counts: { type: 'object' },
        proposals: { type: 'array', items: { type: 'object' } },
        note: { type: 'string' },
        inbox_url: { type: 'string' },
      },
      required: ['counts', 'note'],
    },
    annotations: { title: 'Inbox', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    _meta: { ui: { resourceUri: INBOX_APP_URI, visibility: ['model', 'app'] } },
  },
  {
    name: DECIDE,
    scope: 'memory:review',
    title: 'Decide on a proposal',
    description: 'Ask the user to accept or reject one proposal of the inbox. The user decides, not you.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'As memory_inbox returned it' },
        decision: { type: 'string', enum: ['accept', 'reject'] },
      },
      required: ['id', 'decision'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        status: { type: 'string', enum: ['accepted', 'rejected'] },
        key: { type: 'string' },
        version: { type: 'integer' },
      },
      required: ['id', 'status'],
    },
    annotations: {
      title: 'Decide on a proposal',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    _meta: { ui: { resourceUri: INBOX_APP_URI, visibility: ['model', 'app'] } },
  },
];

export const isInboxTool = (name: string) => INBOX_TOOLS.some((tool) => tool.name === name);

/** The inbox tools that a token may call. */
export function inboxToolsFor({ identity }: Sender): Tool[] {
  return INBOX_TOOLS.filter(({ scope }) => hasScope(identity.scopes, scope)).map(
    ({ scope: _, ...tool }) => tool,
  );
}

/** How a person can be asked, and what they answered if they were. */
export interface Questions {
  canElicit: boolean;
  /** In the 2026 protocol a missing capability of the client is an error of the protocol, not of the tool. */
  isModern: boolean;
  responses: Record<string, unknown> | undefined;
}

export async function callInboxTool(
  services: McpServices,
  sender: Sender,
  name: string,
  input: Record<string, unknown>,
  questions: Questions,
): Promise<CallToolResult | InputRequiredResult> {
  if (name === DECIDE) return decide(services, sender, input, questions);
  asObject(input, []);
  const inbox = await readInbox(services, sender);
  return toolResult({ ...inbox }, undefined, inboxText(inbox));
}

/** The inbox as a model and an app may see it. */
export interface InboxForModels {
  counts: { proposed: number; quarantined: number };
  /** For a token that may decide. */
  proposals?: object[];
  note: string;
  inbox_url?: string;
}

/** What a model is given is data to it at best: the text of a quarantined proposal is for the person's eyes alone. */
export async function readInbox(services: McpServices, sender: Sender): Promise<InboxForModels> {
  const memory = readableMemory(services, sender);
  const link = services.publicUrl ? { inbox_url: inboxUrl(services.publicUrl) } : {};
  if (!hasScope(sender.identity.scopes, 'memory:review')) {
    const note = `The user decides ${placeOf(services)}; no tool can with this token.`;
    return { counts: await inboxCounts(memory), note, ...link };
  }
  const page = await listInbox(memory, { limit: MAX_SHOWN_PROPOSALS }, checksOf(services));
  const note = `The user decides ${placeOf(services)}, or when ${DECIDE} asks them.`;
  return { counts: page.counts, proposals: page.proposals.map(withoutQuarantined), note, ...link };
}

function withoutQuarantined(proposal: ProposalView): object {
  const { id, status, reason, explanation, source, trust, proposed_at, expires_at } = proposal;
  if (status === 'proposed') return proposal;
  return { id, status, reason, explanation, source, trust, proposed_at, expires_at };
}

function inboxText({ counts, proposals = [], note }: InboxForModels): string {
  const { proposed, quarantined } = counts;
  const lines = proposals.map((each) => {
    const { id, key, value, status, explanation } = each as Partial<ProposalView>;
    return status === 'proposed'
      ? `- ${id} ${key}: ${oneLine(value ?? '')}`
      : `- ${id} quarantined: ${explanation}`;
  });
  return [`${proposed} proposed, ${quarantined} quarantined. ${note}`, ...lines].join('\n');
}

async function decide(
  services: McpServices,
  sender: Sender,
  input: Record<string, unknown>,
  { canElicit, isModern, responses }: Questions,
): Promise<CallToolResult | InputRequiredResult> {
  assertScope(sender.identity, 'memory:review');
  const { id, decision } = decisionIn(input);
  const memory = createMemory(services.memory().parts, sender.identity.caller);
  const where = placeOf(services);
  if (!canElicit) throw cannotAsk(where, isModern);
  const proposal = await findProposal(memory, id, checksOf(services));
  if (proposal && decision === 'accept') assertAcceptableHere(proposal, where);
  const response = responses?.[REQUEST_ID];
  if (response === undefined) {
    if (proposal) return question(proposal, decision);
    throw new AppError('not_found', 'There is no such proposal: it was decided, forgotten, or has expired.');
  }
  if (acceptedContent<{ confirm: boolean }>(responses, REQUEST_ID)?.confirm !== true) {
    const wasAsked = (response as { action?: unknown }).action !== 'cancel';
    throw new AppError(
      'invalid_input',
      wasAsked
        ? 'The user did not agree; nothing was decided.'
        : 'The user could not be asked; nothing was decided.',
      { reason: wasAsked ? 'not_confirmed' : 'not_asked', hint: `It can wait, or be decided ${where}.` },
    );
  }
  return toolResult(await apply(services, sender, memory, id, decision));
}

function cannotAsk(where: string, isModern: boolean): Error {
  const message = 'This client cannot ask the user, and only the user decides.';
  const hint = `The user can decide ${where}.`;
  if (!isModern) return new AppError('invalid_input', message, { reason: 'cannot_ask', hint });
  const requiredCapabilities = { elicitation: { form: {} } };
  return new MissingRequiredClientCapabilityError({ requiredCapabilities }, `${message} ${hint}`);
}

type Decision = 'accept' | 'reject';

async function apply(
  services: McpServices,
  { identity: { caller } }: Sender,
  memory: Memory,
  id: string,
  decision: Decision,
): Promise<Record<string, unknown>> {
  const isAccepted = decision === 'accept';
  const stored = isAccepted ? await acceptProposal(memory, id, undefined, services.rules) : undefined;
  if (!isAccepted) await rejectProposal(memory, id);
  const actor = { actor: fullCallerName(caller), tenant: caller.tenant };
  const detail = isAccepted ? '1 accepted 0 rejected' : '0 accepted 1 rejected';
  await services.memory().audit.record({ action: 'inbox.decide', detail, ...actor });
  return stored ? { id, status: 'accepted', key: stored.key, version: stored.version } : { id, status: 'rejected' }; // biome-ignore format: one line
}

function decisionIn(input: Record<string, unknown>): { id: string; decision: Decision } {
  const { id, decision } = asObject(input, ['id', 'decision']);
  if (typeof id !== 'string')
    throw new AppError('invalid_input', 'id must be a string.', { reason: 'bad_type' });
  if (decision !== 'accept' && decision !== 'reject')
    throw new AppError('invalid_input', 'decision must be accept or reject.', { reason: 'bad_type' });
  return { id, decision };
}

/** A question shows the whole text that becomes a fact, and never one that reads like an instruction. */
function assertAcceptableHere({ status, value, blocked }: ProposalView, where: string): void {
  if (blocked) throw new AppError('secret_detected', blocked.message, { reason: blocked.reason });
  const why =
    status === 'quarantined'
      ? 'The text is quarantined'
      : value.length > MAX_ASKED_CHARS
        ? 'The text is too long to be shown in a question'
        : undefined;
  if (why !== undefined)
    throw new AppError('invalid_input', `${why}, so it is not accepted over MCP.`, {
      reason: status === 'quarantined' ? 'quarantined' : 'too_long_to_ask',
      hint: `The user can read and accept it ${where}.`,
    });
}

function question(proposal: ProposalView, decision: Decision): InputRequiredResult {
  const { status, key, value, quote, current, explanation, source } = proposal;
  const isAccept = decision === 'accept';
  const isShown = status === 'proposed' && !proposal.blocked;
  const lines = [
    isAccept
      ? `Remember this as your own words, proposed by ${source.client ?? source.surface}?`
      : 'Reject this? The same text is not proposed again for 180 days.',
    '',
    ...(isShown ? quoted(`${key}: ${value}`) : [explanation ?? 'A text that is withheld.']),
    ...(isShown && quote !== undefined ? ['', 'Taken from:', ...quoted(quote)] : []),
    ...(isShown && current ? ['', 'It replaces:', ...quoted(current.value)] : []),
  ];
  const title = isAccept ? 'Yes, remember it' : 'Yes, reject it';
  const elicitation = inputRequired.elicit({
    message: lines.join('\n'),
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title, default: false } },
      required: ['confirm'],
    },
  });
  return inputRequired({ inputRequests: { [REQUEST_ID]: elicitation } });
}

/** With marks in front, so that no line of the text can pass for a part of the question. */
function quoted(text: string): string[] {
  const shown = text.length > MAX_ASKED_CHARS ? `${text.slice(0, MAX_ASKED_CHARS).toWellFormed()}…` : text;
  return shown.split('\n').map((line) => `> ${line}`);
}

const MAX_LINE_CHARS = 200;

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line;
}

function placeOf({ publicUrl }: McpServices): string {
  return `in the web UI (${publicUrl ? inboxUrl(publicUrl) : 'page Inbox'}) or with "helmdeck inbox"`;
}

const inboxUrl = (publicUrl: URL) => new URL('/inbox', publicUrl).href;

function checksOf(services: McpServices) {
  return { rules: services.rules, adviser: services.memory().adviser };
}
