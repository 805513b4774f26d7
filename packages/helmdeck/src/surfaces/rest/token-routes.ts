import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { addConnectCode, type ConnectGrant, takeConnectCode } from '../../memory/connect-codes.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import { isPersonsClient, PERSONS_CLIENTS } from '../../memory/gate/trust.ts';
import { type Caller, fullCallerName, isSameCaller } from '../../memory/namespace.ts';
import { covers } from '../../memory/revocations.ts';
import { hasScope } from '../../memory/scopes.ts';
import { isoMs } from '../../memory/times.ts';
import { DEFAULT_SCOPES, FIRST_TOKEN_CLIENT, type Identity, isAdmin } from '../http/auth.ts';
import { jsonBody, optionalJsonBody } from '../http/body.ts';
import { clientAddress } from '../http/client-address.ts';
import { namedCaller, recordAccess } from './access.ts';
import { integerQuery } from './input.ts';
import { coversSpaces, requestedScopes, requestedSpaces, withoutPersonsScopes } from './requested-rights.ts';
import type { Call, Route } from './route.ts';
import {
  connectCodeResponse,
  mintInput,
  mintResponse,
  redeemInput,
  revokeAllInput,
  revokeAllResponse,
  revokeResponse,
  tokensResponse,
} from './schemas/auth-schemas.ts';

const DEFAULT_TTL_SECONDS = 7_776_000;
const MAX_TTL_SECONDS = 31_536_000;
const TOKEN_ID = /^[^\p{Cc}]{1,256}$/u;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Listing, minting and revoking tokens. */
export const tokenRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/tokens',
    tag: 'Identity',
    operationId: 'listTokens',
    summary: 'Tokens minted here: your own, or all of them for an admin',
    scope: 'any',
    query: z.object({
      limit: z.int().min(1).max(200).optional().describe('default 100'),
      cursor: z.string().optional(),
    }),
    response: tokensResponse,
    async handler(call) {
      const { issuer, subject, tenant } = call.identity.caller;
      // An admin sees all tokens of the tenant, as when listing callers and revoking.
      const owner = isAdmin(call.identity) ? { tenant } : { issuer, subject: subject ?? '', tenant };
      const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 100;
      const start = integerQuery(call, 'cursor', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0;
      const all = await call.services.memory().tokens.list(owner);
      const end = start + limit;
      return { tokens: all.slice(start, end), ...(all.length > end ? { next_cursor: String(end) } : {}) };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/tokens',
    tag: 'Identity',
    operationId: 'mintToken',
    summary: 'Mint a token for yourself with the same or fewer scopes; for anyone as an admin',
    errors: ['quota_exceeded', 'rate_limited', 'login_disabled'],
    scope: 'any',
    body: mintInput.optional(),
    response: mintResponse,
    async handler(call) {
      return issue(call, await requestedGrant(call));
    },
  },
  {
    method: 'POST',
    path: '/api/v1/connect-codes',
    tag: 'Identity',
    operationId: 'makeConnectCode',
    summary:
      'Make a code that is redeemed once, within ten minutes, for the token that these fields describe',
    errors: ['quota_exceeded', 'rate_limited'],
    scope: 'any',
    body: mintInput.optional(),
    response: connectCodeResponse,
    async handler(call) {
      const grant = await requestedGrant(call);
      const { code, expiresMs } = await addConnectCode(call.services.memory().parts, grant);
      const { jti, name, client, scopes, spaces } = grant;
      return { code, jti, name, client, scopes, spaces, expires_at: isoMs(expiresMs) };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/connect-codes/redeem',
    tag: 'Identity',
    operationId: 'redeemConnectCode',
    summary: 'Redeem a connect code: answers with its token, once',
    errors: ['invalid_credentials', 'token_revoked', 'quota_exceeded', 'rate_limited', 'login_disabled'],
    scope: 'public',
    body: redeemInput,
    response: mintResponse,
    handler: (call) => redeem(call),
  },
  {
    method: 'DELETE',
    path: '/api/v1/tokens/{jti}',
    tag: 'Identity',
    operationId: 'revokeToken',
    summary: 'Revoke a token and what was minted with it, at once',
    errors: ['not_found', 'quota_exceeded'],
    scope: 'any',
    response: revokeResponse,
    handler: (call) => revokeToken(call),
  },
  {
    method: 'POST',
    path: '/api/v1/tokens/revoke',
    tag: 'Identity',
    operationId: 'revokeTokens',
    summary:
      'Revoke all tokens of a subject that were issued up to now or an earlier time, wherever they were minted',
    scope: 'any',
    body: revokeAllInput.optional(),
    response: revokeAllResponse,
    handler: (call) => revokeAll(call),
  },
];

/** The token that a request asks for, if its caller may have it. */
async function requestedGrant(call: Call): Promise<ConnectGrant> {
  const { services, identity } = call;
  const { parts } = services.memory();
  parts.limits.takeWrites(parts.directory.idOf(identity.caller), 1);
  assertAuthOn(services);
  const body = asObject((await optionalJsonBody(call.c)) ?? {}, [
    'name',
    'client',
    'scopes',
    'ttl_seconds',
    'subject',
    'write',
    'spaces',
  ]);
  const caller = subjectOf(call, body);
  const isOwn = isSameCaller(caller, identity.caller);
  if (!isOwn && !isAdmin(identity)) {
    throw new AppError('insufficient_scope', 'Only an admin may mint a token for another subject.');
  }
  if (services.memory().accounts.isDisabled(caller))
    throw new AppError('conflict', 'The account of this subject is disabled.', {
      hint: 'Enable it first, under People.',
    });
  const { jti, issuedMs, expiresMs, scopes } = identity;
  const client = requestedClient(body, identity);
  if (client !== undefined && Array.isArray(body.scopes) && body.scopes.includes('memory:review'))
    throw new AppError('insufficient_scope', 'A token for a program cannot decide on proposals.', {
      hint: 'Omit client to mint a token of your own.',
    });
  // One's own scopes for oneself, the default ones for another subject. An admin's program is not an admin: it could decide.
  const inheritsScopes = isOwn && !(client !== undefined && isAdmin(identity));
  return {
    jti: randomUUID(),
    caller,
    minter: { caller: identity.caller, jti, scopes: [...scopes], issuedMs, expiresMs },
    scopes: withWrite(
      body.write,
      requestedScopes(
        body.scopes ?? (inheritsScopes ? withoutPersonsScopes(scopes) : DEFAULT_SCOPES),
        identity,
      ),
    ),
    spaces: requestedSpaces(body.spaces, identity),
    ttlSeconds: requestedTtl(body.ttl_seconds),
    name: text(body, 'name', 128),
    client,
  };
}

/** A code counts as a token from when it was made: what revokes a subject's tokens revokes its codes too. */
const claimsOfCode = ({ grant, createdMs }: { grant: ConnectGrant; createdMs: number }) => ({
  jti: grant.jti,
  caller: grant.caller,
  scopes: new Set(grant.scopes),
  issuedMs: createdMs,
});

async function redeem(call: Call) {
  const { services } = call;
  const { parts, tokens } = services.memory();
  assertAuthOn(services);
  const { code } = asObject(await jsonBody(call.c), ['code']);
  if (typeof code !== 'string')
    throw new AppError('invalid_input', 'code is required, as a string.', { reason: 'bad_type' });
  const address = clientAddress(call.c, services.trustedProxies);
  await services.codeAttempts.begin(address);
  const taken = await takeConnectCode(parts, code);
  await tokens.refresh();
  if (!taken || tokens.isRevoked(claimsOfCode(taken)))
    throw new AppError('invalid_credentials', 'The code is wrong, was used already, or has expired.', {
      hint: 'Make a new one on the Connect page of the web UI.',
    });
  // Only this attempt: callers can make codes for themselves, so a right one does not excuse wrong guesses.
  await services.codeAttempts.takeBack(address);
  return issue(call, taken.grant);
}

/** Mints the token of a grant, unless the one that asked for it was revoked meanwhile. */
async function issue({ services }: Call, { minter, ...grant }: ConnectGrant) {
  const { tokens } = services.memory();
  const asker = { ...minter, scopes: new Set(minter.scopes) };
  const { issuer, subject } = asker.caller;
  const { caller } = grant;
  const { token, record } = await services.auth.mint({
    ...grant,
    minter: { issuer, subject: subject!, jti: asker.jti },
    // Otherwise a token could extend its own life for ever, and a short-lived one would be no safer than a long-lived one.
    notAfterMs: isAdmin(asker) ? undefined : asker.expiresMs,
  });
  await tokens.add(record);
  // The minting token may have been revoked on another node while this one was written, and this one overlooked.
  await tokens.refresh();
  if (tokens.isRevoked(asker)) {
    await tokens.revoke(record.jti);
    throw new AppError('token_revoked', 'The token was revoked.');
  }
  const target = fullCallerName(caller);
  const detail = `jti ${record.jti} scopes ${record.scopes.join(' ')}`;
  await recordAccess(services, asker.caller, { action: 'token.mint', target, detail });
  const { jti, name, client, scopes, spaces, createdMs, expiresMs } = record;
  return {
    jti,
    subject: target,
    name,
    client,
    scopes,
    spaces,
    created_at: isoMs(createdMs),
    expires_at: isoMs(expiresMs),
    last_used_at: null,
    revoked_at: null,
    token,
  };
}

/** Without auth anyone may call, and what is minted or refused would count on a server with auth and the same secret. */
function assertAuthOn({ authDisabled }: Call['services']): void {
  if (!authDisabled) return;
  throw new AppError('insufficient_scope', 'A server without auth mints and refuses no tokens.', {
    hint: 'Start it without HELMDECK_DISABLE_AUTH first.',
  });
}

/** The caller that a request names in `subject`: by default, and by its own subject, itself. */
function subjectOf(call: Call, body: Record<string, unknown>): Caller & { subject: string } {
  const { caller } = call.identity;
  const named = text(body, 'subject', 1024);
  const own = { ...caller, subject: caller.subject! }; // defined while auth is on
  return named === undefined || named === own.subject
    ? own
    : namedCaller(call.services, call.identity, named, 'subject');
}

/** Of a token that is unknown here, or another caller's, only those are refused that the caller may revoke: its own. */
async function revokeToken(call: Call) {
  const { services, identity } = call;
  const { tokens, parts } = services.memory();
  parts.limits.takeWrites(parts.directory.idOf(identity.caller), 1);
  const jti = call.c.req.param('jti') ?? '';
  if (!TOKEN_ID.test(jti)) throw new AppError('not_found', 'There is no such token.');
  const { issuer, subject = '', tenant } = identity.caller;
  const record = await tokens.find(jti);
  const isManaged =
    record && (isAdmin(identity) ? record.tenant === tenant : isSameCaller(record, identity.caller));
  if (isManaged && !covers(identity.scopes, record.scopes)) {
    const missing = record.scopes.find((scope) => !hasScope(identity.scopes, scope));
    throw new AppError(
      'insufficient_scope',
      `That token has the scope ${missing}, which yours does not have.`,
      {
        hint: 'Revoke it with a token that has all of its scopes, or as an admin.',
      },
    );
  }
  if (isManaged && !coversSpaces(identity, record.spaces))
    throw new AppError('insufficient_scope', 'That token is for spaces that yours is not for.');
  if (!isManaged) assertAuthOn(services);
  let count: number;
  if (isManaged) count = await tokens.revokeWithMinted(jti);
  else if (isAdmin(identity)) count = await tokens.refuse({ tenant, jti });
  else
    count = await tokens.refuse({ tenant, caller: { issuer, subject }, jti, scopes: [...identity.scopes] });
  const minted = isManaged ? count - 1 : count;
  await recordAccess(services, identity.caller, {
    action: 'token.revoke',
    target: isManaged ? fullCallerName(record) : undefined,
    detail: minted > 0 ? `jti ${jti} and ${minted} minted with it` : `jti ${jti}`,
  });
  return { revoked: true, known: isManaged === true, tokens: count };
}

async function revokeAll(call: Call) {
  const { services, identity } = call;
  const { tokens, parts } = services.memory();
  parts.limits.takeWrites(parts.directory.idOf(identity.caller), 1);
  assertAuthOn(services);
  const body = asObject((await optionalJsonBody(call.c)) ?? {}, ['subject', 'before']);
  const { issuer, tenant, subject } = subjectOf(call, body);
  const isOwn = isSameCaller({ issuer, tenant, subject }, identity.caller);
  if (!isOwn && !isAdmin(identity)) {
    throw new AppError('insufficient_scope', "Only an admin may revoke another subject's tokens.");
  }
  const issuedUntilMs = requestedTime(body.before, services.now());
  const scopes = isAdmin(identity) ? undefined : [...identity.scopes];
  const count = await tokens.refuse({ tenant, caller: { issuer, subject }, issuedUntilMs, scopes });
  const target = fullCallerName({ issuer, subject });
  const detail = `issued until ${isoMs(issuedUntilMs)} ${count} revoked`;
  await recordAccess(services, identity.caller, { action: 'token.revoke', target, detail });
  // Tokens tell their time of issue in whole seconds. After this one, a new token cannot be taken for a revoked one.
  const waitMs = Math.floor(issuedUntilMs / 1000) * 1000 + 1000 - services.now();
  if (waitMs > 0) await delay(waitMs);
  return { subject: target, before: isoMs(issuedUntilMs), tokens: count };
}

/** An RFC 3339 time that is not in the future; by default now. */
function requestedTime(input: unknown, nowMs: number): number {
  if (input === undefined) return nowMs;
  const timeMs = typeof input === 'string' && RFC_3339.test(input) ? Date.parse(input) : Number.NaN;
  if (timeMs <= nowMs) return timeMs;
  throw new AppError(
    'invalid_input',
    'before must be a time like 2026-05-01T12:00:00Z, and not in the future.',
    {
      reason: 'bad_type',
    },
  );
}

/** `write: "propose"`: what the token stores waits in the inbox. */
function withWrite(write: unknown, scopes: string[]): string[] {
  if (write === undefined) return scopes;
  if (write !== 'propose')
    throw new AppError('invalid_input', 'write must be "propose", or absent.', { reason: 'bad_type' });
  const others = scopes.filter(
    (scope) => !['memory:write', 'memory:propose', 'memory:review'].includes(scope),
  );
  if (others.includes('admin') || others.length === scopes.length)
    throw new AppError(
      'invalid_input',
      'write: "propose" needs memory:write among the scopes, and no admin.',
      {
        reason: 'bad_type',
      },
    );
  return [...others, 'memory:propose'];
}

/** The program that the token is for. What a program's token mints is a program's as well, never a person's. */
function requestedClient(body: Record<string, unknown>, { client }: Identity): string | undefined {
  const requested = text(body, 'client', 64);
  if (requested !== undefined && [...PERSONS_CLIENTS, FIRST_TOKEN_CLIENT].includes(requested))
    throw new AppError('invalid_input', `The client "${requested}" stands for a person; choose another.`, {
      reason: 'bad_type',
    });
  return requested ?? (isPersonsClient(client) ? undefined : client);
}

function requestedTtl(input: unknown): number {
  if (input === undefined) return DEFAULT_TTL_SECONDS;
  if (typeof input === 'number' && Number.isInteger(input) && input >= 60 && input <= MAX_TTL_SECONDS)
    return input;
  throw new AppError('invalid_input', `ttl_seconds must be a whole number from 60 to ${MAX_TTL_SECONDS}.`, {
    reason: 'bad_type',
  });
}

function text(body: Record<string, unknown>, field: string, maxChars: number): string | undefined {
  const value = body[field];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length > 0 && value.length <= maxChars && !/\p{Cc}/u.test(value))
    return value;
  throw new AppError('invalid_input', `${field} must be 1 to ${maxChars} characters of text.`, {
    reason: 'bad_type',
  });
}
