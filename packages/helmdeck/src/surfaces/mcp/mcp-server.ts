import {
  type CallToolRequestParams,
  ProtocolError,
  Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { AppError, toAppError } from '../../errors.ts';
import { noteFailure, type Sender, senderOf } from '../mcp-message.ts';
import { complete } from './completion.ts';
import { INSTRUCTIONS } from './instructions.ts';
import type { McpServices } from './mcp-services.ts';
import { getPrompt, PROMPTS } from './prompts.ts';
import { FACT_RESOURCE_TEMPLATE, listResources, readResource } from './resources.ts';
import { createSubscriptions } from './subscriptions.ts';
import type { Profile } from './tool-names.ts';
import { protocolFailure } from './tool-result.ts';
import { callTool, listTools } from './tools.ts';

/** Lists hold for a while, but belong to one token: scopes decide what is in them. */
const LISTED = { ttlMs: 60_000, cacheScope: 'private' } as const;
const READ = { ttlMs: 0, cacheScope: 'private' } as const;

const CACHE_HINTS = {
  'tools/list': LISTED,
  'prompts/list': LISTED,
  'resources/templates/list': LISTED,
  'server/discover': LISTED,
  'resources/list': READ,
  'resources/read': READ,
};

/** The SDK checks every call against the protocol before a handler sees it; without a schema it would do so twice. */
const AS_CHECKED: StandardSchemaV1<CallToolRequestParams> = {
  '~standard': {
    version: 1,
    vendor: 'helmdeck',
    validate: (value) => ({ value: value as CallToolRequestParams }),
  },
};

/** An MCP server over the packs and the memory: one per connection, or one per message where there is none. */
export function createMcpServer(services: McpServices, profile: Profile, lasting: boolean): Server {
  const server = new Server(
    { name: 'helmdeck', title: 'Helmdeck', version: services.version },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: {},
        completions: {},
        resources: { subscribe: true },
      },
      instructions: INSTRUCTIONS,
      cacheHints: CACHE_HINTS,
    },
  );
  const canAsk = () => server.getClientCapabilities()?.elicitation !== undefined;
  server.setRequestHandler('tools/list', async (_request, ctx) => ({
    tools: listTools(services, profile, senderOf(ctx)),
  }));
  server.setRequestHandler('tools/call', { params: AS_CHECKED }, async (params, ctx) =>
    callTool(services, profile, params, ctx, canAsk()),
  );
  server.setRequestHandler('resources/list', async ({ params }, ctx) =>
    answering(services, ctx, (sender) => listResources(services, sender, params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [FACT_RESOURCE_TEMPLATE],
  }));
  server.setRequestHandler('resources/read', async ({ params }, ctx) =>
    answering(services, ctx, (sender) => readResource(services, sender, params.uri)),
  );
  server.setRequestHandler('prompts/list', async () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler('prompts/get', async ({ params }, ctx) =>
    answering(services, ctx, (sender) => getPrompt(services, sender, params.name, params.arguments)),
  );
  server.setRequestHandler('completion/complete', async ({ params }, ctx) =>
    answering(services, ctx, (sender) => complete(services, sender, params)),
  );
  addSubscriptions(services, server, lasting);
  return server;
}

function addSubscriptions(services: McpServices, server: Server, lasting: boolean): void {
  const subscriptions = createSubscriptions(services, server);
  const tellOfTools = () => void server.sendToolListChanged().catch(() => {});
  const stopTelling = lasting ? services.engine.packs.subscribe(tellOfTools) : undefined;
  server.onclose = () => {
    stopTelling?.();
    subscriptions.end();
  };
  server.setRequestHandler('resources/subscribe', async ({ params }, ctx) =>
    answering(services, ctx, async (sender) => {
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

/** Failures leave as JSON-RPC errors with the envelope of every surface as data. */
async function answering<T>(
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
    noteFailure(log, error, sender, ctx.mcpReq.method);
    throw protocolFailure(error, sender.requestId);
  }
}
