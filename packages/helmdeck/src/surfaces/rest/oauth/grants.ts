import { createHash } from 'node:crypto';
import { AppError } from '../../../errors.ts';
import { rowId } from '../../../memory/crypto/sealed.ts';
import { PERSONS_CLIENTS } from '../../../memory/gate/trust.ts';
import type { MemoryParts } from '../../../memory/memory.ts';
import { type Approval, redeemCode } from '../../../memory/oauth/authorization-codes.ts';
import { noteClientUse } from '../../../memory/oauth/registered-clients.ts';
import type { TokenRecord } from '../../../memory/token-registry.ts';
import { FIRST_TOKEN_CLIENT } from '../../http/auth.ts';
import { equalInConstantTime } from '../../http/login-guard.ts';
import { recordAccess } from '../access.ts';
import type { Call } from '../route.ts';
import { resourceOf, single } from './authorization-request.ts';
import { authorizationServer } from './oauth-server.ts';

const ACCESS_SECONDS = 3_600;
/** An application that does not refresh for so long has to be authorized again. */
const UNUSED_MS = 90 * 86_400_000;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const REFRESH_TOKEN = /^([0-9a-f-]{36})\.([1-9]\d{0,8})\.([A-Za-z0-9_-]{22})$/;

/** Redeems an authorization code for the tokens of a new connection. */
export async function redeem(call: Call, form: URLSearchParams) {
  const { services } = call;
  const { parts, tokens } = services.memory();
  const code = required(form, 'code');
  const verifier = required(form, 'code_verifier');
  const clientId = required(form, 'client_id');
  const approval = await redeemCode(parts, code);
  if (!approval) throw new AppError('invalid_grant', 'The code is wrong or has expired.');
  if ('redeemedFor' in approval) {
    const { redeemedFor: jti, tenant } = approval;
    await endStolen(call, { jti, tenant }, 'its code was redeemed twice');
    throw new AppError('invalid_grant', 'The code was redeemed before, so its connection has ended.');
  }
  const redirectUri = single(form, 'redirect_uri');
  const isSame =
    approval.clientId === clientId && (redirectUri === undefined || redirectUri === approval.redirectUri);
  if (!isSame) throw new AppError('invalid_grant', 'The code was issued to another application.');
  assertVerifier(verifier, approval.challenge);
  assertResource(call, form, approval.resource);
  const asker = { ...approval.session, caller: approval.caller, scopes: new Set(approval.session.scopes) };
  await tokens.refresh();
  if (tokens.isRevoked(asker)) throw ended();
  const { token, record } = await mint(call, {
    ...recordFields(approval),
    scopes: approval.scopes,
    spaces: approval.spaces,
  });
  const { redirectHost, resource } = approval;
  await tokens.add({
    ...record,
    expiresMs: services.now() + UNUSED_MS,
    grant: { clientId, redirectHost, resource, generation: 1 },
  });
  // The session may have been revoked on another node while this was written, and this connection overlooked.
  await tokens.refresh();
  if (tokens.isRevoked(asker)) {
    await tokens.revoke(record.jti);
    throw ended();
  }
  const detail = `jti ${record.jti} scopes ${record.scopes.join(' ')}`;
  await recordAccess(services, approval.caller, { action: 'application.connect', detail });
  return tokenResponse(parts, token, record, 1);
}

/** Redeems a refresh token for the next pair. One that was used before ends the connection: somebody copied it. */
export async function refresh(call: Call, form: URLSearchParams) {
  const { services } = call;
  const { parts, tokens } = services.memory();
  const clientId = required(form, 'client_id');
  const sent = parseRefreshToken(parts, required(form, 'refresh_token'));
  const record = sent && (await tokens.find(sent.jti));
  if (!record?.grant || record.grant.clientId !== clientId) throw ended();
  assertResource(call, form, record.grant.resource);
  const scopes = narrowed(single(form, 'scope'), record.scopes);
  await tokens.refresh();
  const { jti, createdMs: issuedMs } = record;
  if (tokens.isRevoked({ jti, caller: record, scopes: new Set(record.scopes), issuedMs })) throw ended();
  const outcome = await tokens.renewGrant(jti, sent!.generation, services.now() + UNUSED_MS);
  if (outcome === 'reused') await endStolen(call, record, 'a refresh token was used twice');
  if (outcome !== 'renewed') throw ended();
  await noteClientUse(parts, clientId);
  const { issuer, subject, tenant, name, client, minter, grant, spaces } = record;
  const caller = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(tenant === undefined ? {} : { tenant }),
    subject,
  };
  const { token } = await mint(call, {
    jti,
    caller,
    scopes,
    spaces,
    name,
    client,
    minter,
    audience: grant.resource,
  });
  return tokenResponse(parts, token, { jti, scopes }, sent!.generation + 1);
}

/** Ends the connection that an access or refresh token belongs to. */
export async function revoke(call: Call, form: URLSearchParams): Promise<void> {
  const { parts, tokens } = call.services.memory();
  const token = required(form, 'token');
  const clientId = single(form, 'client_id');
  const jti = parseRefreshToken(parts, token)?.jti ?? (await accessTokenId(call, token));
  const record = jti === undefined ? undefined : await tokens.find(jti);
  if (!record?.grant || (clientId !== undefined && clientId !== record.grant.clientId)) return;
  await tokens.revokeWithMinted(record.jti);
  await recordAccess(call.services, record, {
    action: 'application.disconnect',
    detail: `jti ${record.jti}`,
  });
}

async function accessTokenId({ services }: Call, token: string): Promise<string | undefined> {
  try {
    return (await services.auth.verify(token)).jti;
  } catch {
    return undefined;
  }
}

/** By a refusal, because another node may still be about to write the connection. */
async function endStolen(
  { services }: Call,
  { jti, tenant }: { jti: string; tenant?: string },
  why: string,
): Promise<void> {
  const { tokens } = services.memory();
  await tokens.refuse({ tenant, jti });
  const caller = (await tokens.find(jti)) ?? { subject: undefined, tenant };
  const detail = `jti ${jti}, because ${why}`;
  await recordAccess(services, caller, { action: 'application.disconnect', detail });
}

function mint(call: Call, fields: ReturnType<typeof recordFields> & { scopes: string[]; spaces?: string[] }) {
  return call.services.auth.mint({ ...fields, ttlSeconds: ACCESS_SECONDS });
}

function recordFields({ jti, caller, session, clientName, resource }: Approval) {
  const { issuer, subject } = caller;
  return {
    jti,
    caller,
    name: clientName as string | undefined,
    client: programName(clientName) as string | undefined,
    minter: { issuer, subject, jti: session.jti } as TokenRecord['minter'],
    audience: resource,
  };
}

/** What facts are stamped with. An application must not pass for a person by what it calls itself. */
function programName(name: string): string {
  const isPersons = [...PERSONS_CLIENTS, FIRST_TOKEN_CLIENT].includes(name.toLowerCase());
  return isPersons ? `${name} app` : name;
}

function tokenResponse(
  parts: MemoryParts,
  token: string,
  { jti, scopes }: { jti: string; scopes: readonly string[] },
  generation: number,
) {
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: ACCESS_SECONDS,
    refresh_token: refreshToken(parts, jti, generation),
    scope: scopes.join(' '),
  };
}

/** Computed from the id and a counter, so that none is stored, and a forged one is told from one that was used before. */
function refreshToken({ directory }: MemoryParts, jti: string, generation: number): string {
  const mac = rowId(directory.system, 'token', `refresh ${jti} ${generation}`);
  return `${jti}.${generation}.${mac.toString('base64url')}`;
}

function parseRefreshToken(
  parts: MemoryParts,
  token: string,
): { jti: string; generation: number } | undefined {
  const [, jti, digits] = REFRESH_TOKEN.exec(token) ?? [];
  if (jti === undefined) return undefined;
  const generation = Number(digits);
  return equalInConstantTime(token, refreshToken(parts, jti, generation)) ? { jti, generation } : undefined;
}

function assertVerifier(verifier: string, challenge: string): void {
  const hash = createHash('sha256').update(verifier).digest('base64url');
  if (!VERIFIER.test(verifier) || !equalInConstantTime(hash, challenge))
    throw new AppError('invalid_grant', 'The code verifier does not fit the code challenge.');
}

function assertResource({ services }: Call, form: URLSearchParams, granted: string): void {
  const requested = single(form, 'resource');
  if (requested === undefined || resourceOf(authorizationServer(services), requested).resource === granted)
    return;
  throw new AppError('invalid_target', 'The person authorized another resource.');
}

function narrowed(requested: string | undefined, granted: readonly string[]): string[] {
  if (requested === undefined) return [...granted];
  const scopes = requested.split(' ').filter(Boolean);
  if (scopes.length > 0 && scopes.every((each) => granted.includes(each))) return [...new Set(scopes)];
  throw new AppError('invalid_scope', 'The person did not grant all of these scopes.');
}

function required(form: URLSearchParams, name: string): string {
  const value = single(form, name);
  if (value === undefined) throw new AppError('invalid_request', `${name} is missing.`);
  return value;
}

const ended = () => new AppError('invalid_grant', 'The refresh token is wrong, or the connection has ended.');
