import { type Client, type Held, SERVER_NAME, type Wanted } from '../client.ts';
import { type JsonPath, readAt, removeAt, setAt } from '../formats/json-text.ts';

const BEARER = /^Bearer (\S+)$/;
const HEADER: JsonPath = ['headers', 'Authorization'];

/** Fields of an entry that would make it one of another kind. */
const OF_PROGRAMS = ['command', 'args', 'env'];
const OF_ADDRESSES = ['url', 'httpUrl', 'baseUrl', 'serverUrl', 'type', 'transport', 'headers'];

type JsonClient = Omit<Client, 'connected' | 'disconnected' | 'held' | 'startsServers'> & {
  /** Where the list of servers stands. */
  servers: JsonPath;
};

/** A program whose JSON lists servers by address. */
export function addressClient({
  servers,
  fields,
  ...client
}: JsonClient & { fields: (address: string) => Record<string, string> }): Client {
  const at = [...servers, SERVER_NAME];
  const addressField = Object.entries(fields('?')).find(([, value]) => value === '?')![0];
  return {
    ...client,
    connected(text, { address, token }) {
      const own = fields(address);
      let next = clean(text, at, [...OF_PROGRAMS, ...OF_ADDRESSES.slice(0, -1)], own);
      for (const [field, value] of Object.entries(own)) next = setAt(next, [...at, field], value);
      if (token === undefined) return removeAt(next, [...at, ...HEADER]);
      return setAt(next, [...at, ...HEADER], `Bearer ${token}`);
    },
    disconnected: (text) => removeAt(text, at),
    held(text): Held | undefined {
      const address = readAt(text, [...at, addressField]);
      const header = readAt(text, [...at, ...HEADER]);
      const token = typeof header === 'string' ? BEARER.exec(header)?.[1] : undefined;
      return typeof address === 'string' ? { address, token } : undefined;
    },
  };
}

/** A program whose JSON lists servers by the command that starts them. */
export function commandClient({ servers, ...client }: JsonClient): Client {
  const at = [...servers, SERVER_NAME];
  return {
    ...client,
    startsServers: true,
    connected(text, wanted) {
      const { command, args } = mcpLaunch(wanted);
      let next = setAt(clean(text, at, OF_ADDRESSES, {}), [...at, 'command'], command);
      next = setAt(next, [...at, 'args'], args);
      for (const [name, value] of Object.entries(mcpVariables(wanted)))
        next =
          value === undefined
            ? removeAt(next, [...at, 'env', name])
            : setAt(next, [...at, 'env', name], value);
      return next;
    },
    disconnected: (text) => removeAt(text, at),
    held(text): Held | undefined {
      const { env } = (readAt(text, at) ?? {}) as { env?: Record<string, string> };
      return env?.HELMDECK_URL === undefined
        ? undefined
        : { address: env.HELMDECK_URL, token: env.HELMDECK_TOKEN };
    },
  };
}

/** How such a program starts its server. */
export function mcpLaunch({ launch, profile }: Wanted): { command: string; args: string[] } {
  return { command: launch.command, args: [...launch.args, 'mcp', '--profile', profile] };
}

export function mcpVariables({ serverUrl, token }: Wanted): Record<string, string | undefined> {
  return { HELMDECK_URL: serverUrl, HELMDECK_TOKEN: token };
}

function clean(text: string, at: JsonPath, fields: readonly string[], keep: object): string {
  return fields
    .filter((field) => !(field in keep) && readAt(text, [...at, field]) !== undefined)
    .reduce((left, field) => removeAt(left, [...at, field]), text);
}
