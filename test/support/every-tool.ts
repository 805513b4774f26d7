import { honoPattern } from '../../packages/helmdeck/src/surfaces/http/router.ts';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import type { TestServer } from '../../packages/helmdeck/src/testing/index.ts';
import { everyMem0Route } from './every-route.ts';

// What a server says of itself: its paths, and the tools, resources and prompts that its MCP servers list. Tests that ask
// all of it cannot miss what is added later.

const MCP = '/api/v1/';
const isMcp = (path: string) => path.startsWith(`${MCP}mcp`);

/** Paths that are neither a documented REST route nor one of mem0's nor an MCP server. */
export function otherPaths(server: TestServer): string[] {
  const decode = ({ path }: { path: string }) => decodeURIComponent(path.split('?')[0]!);
  const known = new Set([
    ...ROUTES.map(({ path }) => honoPattern(path)),
    ...everyMem0Route('{id}', 'x').map((probe) => honoPattern(decode(probe))),
  ]);
  return [...servedPaths(server)].filter((path) => !known.has(path) && !isMcp(path)).sort();
}

const servedPaths = ({ app }: TestServer) => new Set(app.routes.map(({ path }) => path));

/** The paths of the MCP servers, without those of the older transport, which serves the same ones. */
export const mcpPaths = (server: TestServer): string[] =>
  [...servedPaths(server)]
    .filter((path) => isMcp(path) && !path.includes('/sse'))
    .map((path) => path.slice(MCP.length));

/** Sends one MCP message; returns the answer as text. */
export type SendMcp = (path: string, method: string, params: object) => Promise<string>;

interface Property {
  type?: string;
  enum?: string[];
  items?: { type?: string };
}
interface ListedTool {
  name: string;
  annotations?: { readOnlyHint?: boolean; openWorldHint?: boolean };
  inputSchema: { properties?: Record<string, Property>; required?: string[] };
}

export interface EveryTool {
  name: string;
  isReadOnly: boolean;
  takesSpace: boolean;
  call(space?: string): Promise<string>;
}

/** Each tool of each MCP server but those that would ask other servers, with a call of it. */
export async function everyTool(server: TestServer, send: SendMcp, words: string): Promise<EveryTool[]> {
  const tools = await Promise.all(
    mcpPaths(server).map(async (path) => {
      const listed = (await resultOf(send(path, 'tools/list', {}))).tools as ListedTool[];
      return listed.map(({ name, annotations, inputSchema: { properties = {}, required = [] } }) => ({
        name: `${path} ${name}`,
        isReadOnly: annotations?.readOnlyHint === true,
        isOpenWorld: annotations?.openWorldHint === true,
        takesSpace: 'space' in properties,
        call: (space?: string) =>
          send(path, 'tools/call', { name, arguments: argumentsFor(properties, required, words, space) }),
      }));
    }),
  );
  return tools.flat().filter(({ isOpenWorld }) => !isOpenWorld);
}

function argumentsFor(
  properties: Record<string, Property>,
  required: readonly string[],
  words: string,
  space: string | undefined,
): object {
  const given: Record<string, unknown> = space === undefined ? {} : { space };
  for (const [name, property] of Object.entries(properties)) {
    if (name === 'limit') given.limit = 100;
    else if (name !== 'space' && (name === 'query' || required.includes(name)))
      given[name] = exampleOf(property, words);
  }
  return given;
}

function exampleOf({ type, enum: names, items }: Property, words: string): unknown {
  if (names) return names[0];
  if (type === 'array') return items?.type === 'string' ? [words] : [];
  if (type === 'boolean') return true;
  if (type === 'object') return {};
  return type === 'number' || type === 'integer' ? 1 : words;
}

/** The content of each resource and prompt that an MCP server lists, by its name. */
export async function everyListedText(send: SendMcp, path: string): Promise<[string, string][]> {
  const list = async (method: string, params = {}) => resultOf(send(path, method, params));
  const { resources } = (await list('resources/list')) as { resources: { uri: string }[] };
  const { prompts } = (await list('prompts/list')) as { prompts: { name: string }[] };
  return Promise.all([
    ...resources.map(async ({ uri }) => [uri, await send(path, 'resources/read', { uri })] as const),
    ...prompts.map(
      async ({ name }) =>
        [name, await send(path, 'prompts/get', { name, arguments: { fact: name } })] as const,
    ),
  ]) as Promise<[string, string][]>;
}

/** The result in an answer to an MCP message, which is JSON or one event with it. */
async function resultOf(answer: Promise<string>): Promise<Record<string, unknown>> {
  const text = await answer;
  const json = text.slice(text.indexOf('{"', text.indexOf('\n')));
  return (JSON.parse(json) as { result: Record<string, unknown> }).result;
}
