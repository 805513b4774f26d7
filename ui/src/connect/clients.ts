import type { Scope } from '../api/generated/rest.ts';

/** What the lines to paste are made from. */
export interface SnippetParts {
  /** The URL of this server, as the browser sees it. */
  origin: string;
  /** The URL of its MCP endpoint: memory tools only, or every tool the token may use. */
  address: string;
  token: string;
}

/** A client that can be connected: which lines it needs, and where they go. */
export interface Client {
  /** The `client` of its tokens. */
  id: string;
  icon:
    | 'braces'
    | 'claw'
    | 'connect'
    | 'cube'
    | 'play'
    | 'pointer'
    | 'prompt'
    | 'screen'
    | 'sparkle'
    | 'terminal'
    | 'window';
  kind: 'terminal' | 'app' | 'editor' | 'code';
  /** The file the lines belong in; absent if they are typed into a terminal. */
  file?: string;
  /** The smallest set of scopes it works with. */
  scopes: readonly Scope[];
  /** What `connect --auto-recall` can do in it; absent: nothing. */
  recall?: 'prompts' | 'start' | 'lines' | 'plugin';
  /** `connect --auto-capture` can send its conversations. */
  captures?: true;
  lines(parts: SnippetParts): string;
  /** A link that opens the program and offers to add the server. */
  installLink?(parts: SnippetParts): string;
}

/** How a client is connected: with one line for `helmdeck connect`, or with lines to paste. */
export type Way = 'line' | 'hand';

/** Clients that `helmdeck connect` does not know are connected by hand. */
export const waysOf = ({ id }: Client): readonly Way[] =>
  id === 'mcp' || id === 'rest' ? ['hand'] : ['line', 'hand'];

/** The server that the command line takes for the one that made the code. */
const DEFAULT_ORIGIN = 'http://127.0.0.1:3000';

export interface LineParts {
  origin: string;
  scopes: readonly string[];
  code: string;
  /** Facts are proposed from its conversations. */
  isCapturing: boolean;
}

export function connectLine(client: Client, { origin, scopes, code, isCapturing }: LineParts): string {
  const options = [
    '--write',
    ...(client.recall === undefined ? [] : ['--auto-recall']),
    ...(isCapturing ? ['--auto-capture'] : []),
    ...(runsPacks(scopes) ? ['--profile all'] : []),
    ...(origin === DEFAULT_ORIGIN ? [] : [`--server ${origin}`]),
  ];
  return `helmdeck connect ${client.id} ${options.join(' ')} --code ${code}`;
}

const MEMORY: readonly Scope[] = ['memory:read', 'memory:write'];
/** JSON as people write it: short lists on one line. */
const json = (value: object) =>
  JSON.stringify(value, null, 2).replaceAll(/\[[^[\]{}]*\]/g, (list) =>
    list
      .replaceAll(/\s*\n\s*/g, ' ')
      .replace('[ ', '[')
      .replace(' ]', ']'),
  );
/** To be replaced: a browser does not know where Helmdeck is installed, and desktop programs do not see the PATH of a shell. */
const INSTALLED_PROGRAM = '/path/to/helmdeck/bin/helmdeck.js';
const headers = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Kilo is built on opencode. */
const remoteLines = ({ address, token }: SnippetParts) =>
  json({ mcp: { helmdeck: { type: 'remote', url: address, headers: headers(token) } } });

export const CLIENTS: readonly Client[] = [
  {
    id: 'claude-code',
    icon: 'terminal',
    kind: 'terminal',
    scopes: MEMORY,
    recall: 'prompts',
    captures: true,
    lines: ({ address, token }) =>
      `claude mcp add --scope user --transport http helmdeck ${address} --header "Authorization: Bearer ${token}"`,
  },
  {
    id: 'claude-desktop',
    icon: 'screen',
    kind: 'app',
    file: 'claude_desktop_config.json',
    scopes: MEMORY,
    lines: ({ origin, token }) =>
      json({
        mcpServers: {
          helmdeck: {
            command: 'node',
            args: [INSTALLED_PROGRAM, 'mcp'],
            env: { HELMDECK_URL: origin, HELMDECK_TOKEN: token },
          },
        },
      }),
  },
  {
    id: 'gemini-cli',
    icon: 'sparkle',
    kind: 'terminal',
    scopes: MEMORY,
    recall: 'prompts',
    captures: true,
    lines: ({ address, token }) =>
      `gemini mcp add --scope user --transport http helmdeck ${address} --header "Authorization: Bearer ${token}"`,
  },
  {
    id: 'openclaw',
    icon: 'claw',
    kind: 'terminal',
    scopes: MEMORY,
    recall: 'plugin',
    captures: true,
    lines: ({ address, token }) =>
      `openclaw mcp add helmdeck --url ${address} --transport streamable-http --header "Authorization=Bearer ${token}"`,
  },
  {
    id: 'mcporter',
    icon: 'cube',
    kind: 'terminal',
    scopes: MEMORY,
    lines: ({ address, token }) =>
      `mcporter config add helmdeck --url ${address} --header "Authorization=Bearer ${token}" --scope home`,
  },
  {
    id: 'cursor',
    icon: 'pointer',
    kind: 'editor',
    file: '~/.cursor/mcp.json',
    scopes: MEMORY,
    recall: 'lines',
    lines: ({ address, token }) =>
      json({ mcpServers: { helmdeck: { url: address, headers: headers(token) } } }),
    installLink: ({ address, token }) => {
      const config = btoa(JSON.stringify({ url: address, headers: headers(token) }));
      return `cursor://anysphere.cursor-deeplink/mcp/install?name=helmdeck&config=${encodeURIComponent(config)}`;
    },
  },
  {
    id: 'vscode',
    icon: 'window',
    kind: 'editor',
    file: 'mcp.json',
    scopes: MEMORY,
    recall: 'lines',
    lines: ({ address, token }) =>
      json({ servers: { helmdeck: { type: 'http', url: address, headers: headers(token) } } }),
    installLink: ({ address, token }) => {
      const server = { name: 'helmdeck', type: 'http', url: address, headers: headers(token) };
      return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(server))}`;
    },
  },
  {
    id: 'codex',
    icon: 'prompt',
    kind: 'terminal',
    file: '~/.codex/config.toml',
    scopes: MEMORY,
    recall: 'prompts',
    captures: true,
    lines: ({ address, token }) =>
      [
        '[mcp_servers.helmdeck]',
        `url = "${address}"`,
        `http_headers = { Authorization = "Bearer ${token}" }`,
      ].join('\n'),
  },
  {
    id: 'copilot-cli',
    icon: 'terminal',
    kind: 'terminal',
    file: '~/.copilot/mcp-config.json',
    scopes: MEMORY,
    recall: 'start',
    lines: ({ address, token }) =>
      json({
        mcpServers: { helmdeck: { type: 'http', url: address, tools: ['*'], headers: headers(token) } },
      }),
  },
  {
    id: 'opencode',
    icon: 'prompt',
    kind: 'terminal',
    file: '~/.config/opencode/opencode.json',
    scopes: MEMORY,
    recall: 'lines',
    lines: remoteLines,
  },
  {
    id: 'kilo',
    icon: 'prompt',
    kind: 'terminal',
    file: '~/.config/kilo/kilo.json',
    scopes: MEMORY,
    recall: 'lines',
    lines: remoteLines,
  },
  {
    id: 'qwen-code',
    icon: 'sparkle',
    kind: 'terminal',
    file: '~/.qwen/settings.json',
    scopes: MEMORY,
    recall: 'start',
    lines: ({ address, token }) =>
      json({
        mcpServers: { helmdeck: { httpUrl: address, alwaysLoadTools: true, headers: headers(token) } },
      }),
  },
  {
    id: 'cline',
    icon: 'terminal',
    kind: 'terminal',
    file: '~/.cline/data/settings/cline_mcp_settings.json',
    scopes: MEMORY,
    recall: 'lines',
    lines: ({ address, token }) =>
      json({ mcpServers: { helmdeck: { type: 'streamableHttp', url: address, headers: headers(token) } } }),
  },
  {
    id: 'continue',
    icon: 'play',
    kind: 'terminal',
    file: '~/.continue/config.yaml',
    scopes: MEMORY,
    recall: 'lines',
    lines: ({ address, token }) =>
      [
        'mcpServers:',
        '  - name: helmdeck',
        '    type: streamable-http',
        `    url: "${address}"`,
        '    requestOptions:',
        '      headers:',
        `        Authorization: "Bearer ${token}"`,
      ].join('\n'),
  },
  {
    id: 'mcp',
    icon: 'connect',
    kind: 'app',
    scopes: MEMORY,
    lines: ({ address, token }) => `${address}\nAuthorization: Bearer ${token}`,
  },
  {
    id: 'rest',
    icon: 'braces',
    kind: 'code',
    scopes: ['memory:read'],
    lines: ({ origin, token }) =>
      `curl -sS ${origin}/api/v1/memory/facts -H 'Authorization: Bearer ${token}'`,
  },
];

const EVERY_TOOL = '/api/v1/mcp';
const MEMORY_TOOLS = '/api/v1/mcp/memory';

const runsPacks = (scopes: readonly string[]) => scopes.some((scope) => scope.endsWith(':run'));

/** A token with only memory scopes gets the endpoint of the memory tools: every tool in a list costs a model attention. */
export function addressFor(origin: string, scopes: readonly string[]): string {
  return origin + (runsPacks(scopes) ? EVERY_TOOL : MEMORY_TOOLS);
}
