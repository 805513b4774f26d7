import { type Client, type CurrentConnection, type DesiredConnection, SERVER_NAME } from '../client.ts';
import { type JsonPath, readAt, removeAt, removeWithParents, setAt } from '../formats/json-text.ts';

const BEARER = /^Bearer (\S+)$/;
const HEADER: JsonPath = ['headers', 'Authorization'];

/** The fields of each kind of entry; those of the other kind must be removed. */
const STDIO_FIELDS = ['command', 'args', 'env'];
const HTTP_FIELDS = ['url', 'httpUrl', 'baseUrl', 'serverUrl', 'type', 'transport', 'headers'];

type JsonClient = Omit<Client, 'connect' | 'disconnect' | 'current' | 'startsServers'> & {
  /** The path of the list of servers in the file. */
  servers: JsonPath;
};

/** A client whose JSON configuration lists servers by address. */
export function addressClient({
  servers,
  fields,
  ...client
}: JsonClient & { fields: (address: string) => Record<string, string | string[] | boolean> }): Client {
  const at = [...servers, SERVER_NAME];
  const addressField = Object.entries(fields('?')).find(([, value]) => value === '?')![0];
  return {
    ...client,
    connect(text, { address, token }) {
      const own = fields(address);
      let next = clean(text, at, [...STDIO_FIELDS, ...HTTP_FIELDS.slice(0, -1)], own);
      for (const [field, value] of Object.entries(own)) next = setAt(next, [...at, field], value);
      if (token === undefined) return removeAt(next, [...at, ...HEADER]);
      return setAt(next, [...at, ...HEADER], `Bearer ${token}`);
    },
    disconnect: (text, original) => removeWithParents(text, at, original),
    current(text): CurrentConnection | undefined {
      const address = readAt(text, [...at, addressField]);
      const header = readAt(text, [...at, ...HEADER]);
      const token = typeof header === 'string' ? BEARER.exec(header)?.[1] : undefined;
      return typeof address === 'string' ? { address, token } : undefined;
    },
  };
}

/** A client whose JSON configuration lists servers by the command that starts them. */
export function commandClient({ servers, ...client }: JsonClient): Client {
  const at = [...servers, SERVER_NAME];
  return {
    ...client,
    startsServers: true,
    connect(text, desired) {
      const { command, args } = mcpLaunch(desired);
      let next = setAt(clean(text, at, HTTP_FIELDS, {}), [...at, 'command'], command);
      next = setAt(next, [...at, 'args'], args);
      for (const [name, value] of Object.entries(mcpVariables(desired)))
        next =
          value === undefined
            ? removeAt(next, [...at, 'env', name])
            : setAt(next, [...at, 'env', name], value);
      return next;
    },
    disconnect: (text, original) => removeWithParents(text, at, original),
    current(text): CurrentConnection | undefined {
      const { env } = (readAt(text, at) ?? {}) as { env?: Record<string, string> };
      return env?.HELMDECK_URL === undefined
        ? undefined
        : { address: env.HELMDECK_URL, token: env.HELMDECK_TOKEN };
    },
  };
}

/** How such a client starts Helmdeck. */
export function mcpLaunch({ launch, profile }: DesiredConnection): { command: string; args: string[] } {
  return { command: launch.command, args: [...launch.args, 'mcp', '--profile', profile] };
}

export function mcpVariables({ serverUrl, token }: DesiredConnection): Record<string, string | undefined> {
  return { HELMDECK_URL: serverUrl, HELMDECK_TOKEN: token };
}

/** Removes these fields of an entry, except for those in `keep`. */
function clean(text: string, at: JsonPath, fields: readonly string[], keep: object): string {
  return fields
    .filter((field) => !(field in keep) && readAt(text, [...at, field]) !== undefined)
    .reduce((left, field) => removeAt(left, [...at, field]), text);
}
