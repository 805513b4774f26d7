import { createHash, randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { addressKind } from '../../packs/egress/address-kind.ts';
import { parseIp } from '../../packs/egress/ip-address.ts';
import type { Check, Connection } from '../../surfaces/cli/deps.ts';
import { RESOURCE_METADATA_PATH } from '../../surfaces/http/protected-resource.ts';
import { fail, ok, warn } from './check-result.ts';

// `helmdeck doctor --public`: connects over the public URL as claude.ai and ChatGPT do, and says where they would fail.

const TIMEOUT_MS = 10_000;
const MCP_PATH = '/api/v1/mcp';
const REDIRECT_URI = 'http://localhost/helmdeck-doctor';
const JSON_TYPE = { 'content-type': 'application/json' };

/** The server as this machine reaches it, with a person's token. */
export interface OwnServer {
  url: string;
  connection: Connection;
}

export async function checkPublic(publicUrl: URL | undefined, own: OwnServer | undefined): Promise<Check[]> {
  if (!publicUrl)
    return [
      fail(
        'Public URL',
        'HELMDECK_PUBLIC_URL is not set, so applications such as claude.ai cannot connect.',
        'Set it to the https URL that people use, and restart the server.',
      ),
    ];
  const { origin } = publicUrl;
  const checks = [checkScheme(publicUrl), ...(await checkName(publicUrl))];
  const reached = await checkReached(origin);
  checks.push(reached);
  if (reached.status === 'fail') return checks;
  const documents = [await checkMetadata(origin), await checkChallenge(origin)];
  checks.push(...documents);
  if (documents.some(({ status }) => status === 'fail')) return checks;
  const issuer = await issuerOf(origin);
  if (issuer !== origin)
    return [...checks, ok('Authorization', `Tokens come from ${issuer}; connecting there was not tried.`)];
  return [...checks, await checkServerDocument(origin), ...(await walk(origin, own))];
}

function checkScheme({ protocol, port, host }: URL): Check {
  const name = 'Public URL';
  if (protocol !== 'https:')
    return fail(
      name,
      'It is not https: claude.ai and ChatGPT refuse to connect.',
      'Put a proxy or a tunnel with a certificate in front: docs/howto/run-behind-a-proxy.md.',
    );
  if (port !== '')
    return warn(
      name,
      `It has the port ${port}; some cloud clients reach only 443.`,
      'Let the proxy listen on port 443, and set HELMDECK_PUBLIC_URL without a port.',
    );
  return ok(name, `https on port 443, as ${host}.`);
}

/** Cloud clients have no IPv6 of their own, and never reach an address inside a network. */
async function checkName({ hostname }: URL): Promise<Check[]> {
  const name = 'Public name';
  const bare = hostname.replace(/^\[|\]$/g, '');
  const addresses = await lookup(bare, { all: true }).catch(() => []);
  if (addresses.length === 0)
    return [fail(name, `${hostname} does not resolve.`, 'Add a DNS record for it, with an IPv4 address.')];
  const inside = addresses.find(({ address }) => addressKind(parseIp(address)!) !== 'public');
  if (inside)
    return [
      warn(
        name,
        `${hostname} resolves to ${inside.address}, which is not public: the internet cannot reach it.`,
        'If the name means something else outside of this network, ask a DNS server there. Else add a public record, or use a tunnel.',
      ),
    ];
  if (!addresses.some(({ family }) => family === 4))
    return [fail(name, `${hostname} has no IPv4 address, which claude.ai needs.`, 'Add an A record.')];
  return [ok(name, `${hostname} resolves to ${addresses.map(({ address }) => address).join(', ')}.`)];
}

const WHY: Record<string, [what: string, fix: string]> = {
  ECONNREFUSED: ['nothing listens there', 'Start the proxy or the tunnel, and open the port.'],
  ENOTFOUND: ['its name does not resolve', 'Add a DNS record for it.'],
  UND_ERR_CONNECT_TIMEOUT: ['it does not answer', 'Open the port in the firewall.'],
  TimeoutError: ['it does not answer', 'Open the port in the firewall, or start the proxy or the tunnel.'],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'Renew the certificate of the proxy.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'its certificate is self-signed',
    'Use one that the world trusts, such as of Let’s Encrypt.',
  ],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'its certificate is not trusted',
    'Use one that the world trusts, such as of Let’s Encrypt.',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'it sends its certificate without the intermediate ones',
    'Configure the full chain in the proxy.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another name', 'Get one for this name.'],
};

async function checkReached(origin: string): Promise<Check> {
  const name = 'Reached';
  try {
    const response = await send(`${origin}/version`);
    const { name: program } = (await json(response)) as { name?: string };
    if (program === 'helmdeck') return ok(name, `${origin} is a Helmdeck server.`);
    return fail(name, `${origin} ${notHelmdeck(response)}.`, inTheWay);
  } catch (thrown) {
    const { code } = ((thrown as Error).cause ?? {}) as { code?: string };
    const [what, fix] = WHY[code ?? (thrown as Error).name] ?? [
      `the connection failed (${code ?? 'no code'})`,
      'Check the proxy.',
    ];
    return fail(name, `${origin} could not be reached: ${what}.`, fix);
  }
}

const inTheWay =
  'Let the proxy pass every path on unchanged, and ask for no login of its own at /.well-known, /oauth and /api/v1/mcp.';

function notHelmdeck(response: Response): string {
  if (response.status >= 300 && response.status < 400) return 'redirects somewhere else';
  if (response.headers.get('content-type')?.includes('text/html'))
    return 'answers with a web page, such as a login of the proxy';
  return `answers with status ${response.status}`;
}

async function checkMetadata(origin: string): Promise<Check> {
  const name = 'Metadata';
  const response = await send(`${origin}${RESOURCE_METADATA_PATH}${MCP_PATH}`);
  const { resource } = (await json(response)) as { resource?: string };
  if (resource === origin + MCP_PATH) return ok(name, `The document of ${resource} is there.`);
  if (resource !== undefined)
    return fail(
      name,
      `The document names ${resource}, which clients compare with ${origin}${MCP_PATH}.`,
      `Set HELMDECK_PUBLIC_URL to ${origin} on the server, and restart it.`,
    );
  return fail(
    name,
    `The document of ${origin}${MCP_PATH} ${notHelmdeck(response)}.`,
    response.status === 404 ? 'Set HELMDECK_PUBLIC_URL on the server, and restart it.' : inTheWay,
  );
}

/** Clients begin with a call that is refused. */
async function checkChallenge(origin: string): Promise<Check> {
  const name = 'Challenge';
  const response = await send(origin + MCP_PATH, { method: 'POST', headers: JSON_TYPE, body: '{}' });
  const challenge = response.headers.get('www-authenticate') ?? '';
  if (response.status === 401 && challenge.includes('resource_metadata='))
    return ok(name, 'A call without a token is told where to get one.');
  if (response.status === 401)
    return fail(
      name,
      'The header WWW-Authenticate does not arrive.',
      'Let the proxy pass WWW-Authenticate on, and log in at Helmdeck only.',
    );
  return fail(name, `A call without a token ${notHelmdeck(response)}, and not with 401.`, inTheWay);
}

async function issuerOf(origin: string): Promise<string | undefined> {
  const document = await json(await send(`${origin}${RESOURCE_METADATA_PATH}${MCP_PATH}`));
  return (document as { authorization_servers?: string[] }).authorization_servers?.[0];
}

async function checkServerDocument(origin: string): Promise<Check> {
  const name = 'Issuer';
  const { issuer } = (await json(await send(`${origin}/.well-known/oauth-authorization-server`))) as {
    issuer?: string;
  };
  if (issuer === origin) return ok(name, `${issuer}, letter for letter.`);
  return fail(
    name,
    `It is ${issuer ?? 'missing'}, and clients compare it with ${origin}.`,
    'Set HELMDECK_PUBLIC_URL to the URL that clients are given, and restart the server.',
  );
}

/** Registers, is allowed by the token of this machine, and uses and ends the connection as an application would. */
async function walk(origin: string, own: OwnServer | undefined): Promise<Check[]> {
  const name = 'Connecting';
  if (!own)
    return [
      warn(name, 'Not tried, because no server runs on this machine.', 'Run this where the server runs.'),
    ];
  let step = 'registration';
  try {
    const registered = await expectJson(
      send(`${origin}/oauth/register`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ client_name: 'helmdeck doctor', redirect_uris: [REDIRECT_URI] }),
      }),
    );
    const client_id = registered.client_id!;
    const code_verifier = randomBytes(32).toString('base64url');
    step = 'consent';
    const code = await consent(origin, own, client_id, code_verifier);
    const form = (path: string, fields: Record<string, string>) =>
      send(origin + path, { method: 'POST', body: new URLSearchParams({ client_id, ...fields }) });
    step = 'token';
    const first = await expectJson(
      form('/oauth/token', {
        grant_type: 'authorization_code',
        code,
        code_verifier,
        redirect_uri: REDIRECT_URI,
      }),
    );
    step = 'MCP call';
    await listTools(origin, first.access_token!);
    step = 'refresh';
    const second = await expectJson(
      form('/oauth/token', { grant_type: 'refresh_token', refresh_token: first.refresh_token! }),
    );
    step = 'revocation';
    const revoked = await form('/oauth/revoke', { token: second.refresh_token! });
    if (!revoked.ok) throw new Error(`status ${revoked.status}`);
    return [ok(name, 'Registered, allowed, got a token, listed tools, refreshed, and was disconnected.')];
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'no answer';
    return [fail(name, `An application fails at the ${step}: ${why}.`, inTheWay)];
  }
}

/** What the browser does, over the local address: the token of this machine is never sent over the public one. */
async function consent(origin: string, own: OwnServer, clientId: string, verifier: string): Promise<string> {
  const opened = await own.connection.fetch('/api/v1/auth/session', { method: 'POST' });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0];
  if (!opened.ok || cookie === undefined)
    throw new Error(`the token of this machine opens no session (status ${opened.status})`);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'memory:read',
    resource: origin + MCP_PATH,
  }).toString();
  const { redirect_to } = await expectJson(
    send(`${own.url}/api/v1/oauth/consent`, {
      method: 'POST',
      headers: { ...JSON_TYPE, cookie, origin },
      body: JSON.stringify({ query, decision: 'allow' }),
    }),
  );
  const code = new URL(redirect_to!).searchParams.get('code');
  if (code === null) throw new Error('the consent gave no code');
  return code;
}

async function listTools(origin: string, token: string): Promise<void> {
  const response = await send(origin + MCP_PATH, {
    method: 'POST',
    headers: {
      ...JSON_TYPE,
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status}; does the proxy pass Authorization on?`);
  if (!text.includes('memory_recall')) throw new Error('the list of tools does not arrive whole');
}

function send(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
}

const json = (response: Response): Promise<object> =>
  response.json().then(
    (body) => (typeof body === 'object' && body !== null ? body : {}),
    () => ({}),
  );

/** The fields of a successful JSON response; throws what a failed one says. */
async function expectJson(sent: Promise<Response>): Promise<Record<string, string | undefined>> {
  const response = await sent;
  const body = (await json(response)) as Record<string, string | undefined>;
  if (response.ok) return body;
  throw new Error(`${body.error ?? `status ${response.status}`}${body.message ? ` (${body.message})` : ''}`);
}
