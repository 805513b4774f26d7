import {
  type CallToolRequestParams,
  ProtocolError,
  Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { AppError, toAppError } from '../../errors.ts';
import { logFailure, type Sender, senderOf } from '../mcp-message.ts';
import { complete } from './completion.ts';
import type { ConfirmForget } from './confirm-forget.ts';
import { UI_EXTENSION } from './inbox-app.ts';
import { INSTRUCTIONS } from './instructions.ts';
import type { McpServices, ServerOptions } from './mcp-services.ts';
import { getPrompt, PROMPTS } from './prompts.ts';
import {
  FACT_RESOURCE_TEMPLATE,
  listResources,
  readResource,
  SPACE_FACT_RESOURCE_TEMPLATE,
} from './resources.ts';
import { createSubscriptions } from './subscriptions.ts';
import type { Profile } from './tools/tool-names.ts';
import { protocolFailure } from './tools/tool-result.ts';
import { callTool, listTools } from './tools/tools.ts';

/** Lists may be cached for a while, but per token only: its scopes decide what is in them. */
const LIST_CACHE = { ttlMs: 60_000, cacheScope: 'private' } as const;
const NO_CACHE = { ttlMs: 0, cacheScope: 'private' } as const;

const CACHE_HINTS = {
  'tools/list': LIST_CACHE,
  'prompts/list': LIST_CACHE,
  'resources/templates/list': LIST_CACHE,
  'server/discover': LIST_CACHE,
  'resources/list': NO_CACHE,
  'resources/read': NO_CACHE,
};

/** The SDK validates every call before its handler runs; without a schema here it would validate it twice. */
const ALREADY_VALIDATED: StandardSchemaV1<CallToolRequestParams> = {
  '~standard': {
    version: 1,
    vendor: 'helmdeck',
    validate: (value) => ({ value: value as CallToolRequestParams }),
  },
};

/** An MCP server for packs and memory: one per session or, without sessions, one per message. */
export function createMcpServer(
  services: McpServices,
  profile: Profile,
  confirmForget: ConfirmForget,
  options: ServerOptions,
): Server {
  const server = new Server(
    { name: 'helmdeck', title: 'Helmdeck', version: services.version },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: {},
        completions: {},
        resources: { subscribe: true },
        extensions: { [UI_EXTENSION]: {} },
      },
      instructions: INSTRUCTIONS,
      cacheHints: CACHE_HINTS,
    },
  );
  const canElicit = () => {
    const { elicitation } = server.getClientCapabilities() ?? {};
    // An empty object means forms; a client may support links only.
    return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  };
  server.setRequestHandler('tools/list', async (_request, ctx) => ({
    tools: listTools(services, profile, senderOf(ctx)),
  }));
  server.setRequestHandler('tools/call', { params: ALREADY_VALIDATED }, async (params, ctx) =>
    callTool(services, profile, params, ctx, { canElicit: canElicit(), confirmForget }),
  );
  server.setRequestHandler('resources/list', async ({ params }, ctx) =>
    withProtocolErrors(services, ctx, (sender) => listResources(services, sender, params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [FACT_RESOURCE_TEMPLATE, SPACE_FACT_RESOURCE_TEMPLATE],
  }));
  server.setRequestHandler('resources/read', async ({ params }, ctx) =>
    withProtocolErrors(services, ctx, (sender) => readResource(services, sender, params.uri)),
  );
  server.setRequestHandler('prompts/list', async () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler('prompts/get', async ({ params }, ctx) =>
    withProtocolErrors(services, ctx, (sender) => getPrompt(services, sender, params.name, params.arguments)),
  );
  server.setRequestHandler('completion/complete', async ({ params }, ctx) =>
    withProtocolErrors(services, ctx, (sender) => complete(services, sender, params)),
  );
  addSubscriptions(services, server, options);
  return server;
}

function addSubscriptions(services: McpServices, server: Server, { lasting, isLive }: ServerOptions): void {
  const subscriptions = createSubscriptions(services, server, isLive);
  const notifyToolsChanged = () => void server.sendToolListChanged().catch(() => {});
  const unsubscribe = lasting ? services.engine.packs.subscribe(notifyToolsChanged) : undefined;
  server.onclose = () => {
    unsubscribe?.();
    subscriptions.end();
  };
  server.setRequestHandler('resources/subscribe', async ({ params }, ctx) =>
    withProtocolErrors(services, ctx, async (sender) => {
      if (!lasting)
        throw new AppError('session_unavailable', 'Subscriptions need a session.', {
          hint: 'Send initialize first and keep its Mcp-Session-Id.',
        });
      subscriptions.subscribe(params.uri, sender);
      return {};
    }),
  );
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    subscriptions.unsubscribe(params.uri);
    return {};
  });
}

/** Turns failures into JSON-RPC errors with the error envelope as data. */
async function withProtocolErrors<T>(
  { log }: McpServices,
  ctx: ServerContext,
  work: (sender: Sender) => Promise<T>,
): Promise<T> {
  const sender = senderOf(ctx);
  try {
    return await work(sender);
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const error = toAppError(thrown);
    logFailure(log, error, sender, ctx.mcpReq.method);
    throw protocolFailure(error, sender.requestId);
  }
}
