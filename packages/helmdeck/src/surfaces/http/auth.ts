import { randomUUID } from 'node:crypto';
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import { AppError } from '../../errors.ts';
import type { Source } from '../../memory/entry.ts';
import { isPersonsClient } from '../../memory/gate/trust.ts';
import { type Caller, identityProblem } from '../../memory/namespace.ts';
import { hasScope } from '../../memory/scopes.ts';
import type { TokenRecord } from '../../memory/token-registry.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';

export const SCOPES = [
  'memory:read',
  'memory:write',
  /** To store only as a proposal; in place of `memory:write`. */
  'memory:propose',
  /** To decide on proposals. */
  'memory:review',
  /** To write to spaces and manage them, as far as the subject's roles there allow. */
  'spaces:write',
  'packs:run',
  'pipelines:run',
  'vault:read',
  'vault:write',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes of a token without a `scopes` claim. */
export const DEFAULT_SCOPES: readonly Scope[] = ['memory:read', 'memory:write', 'packs:run', 'pipelines:run'];

/** A caller whose token was verified. */
export interface Identity {
  caller: Caller;
  scopes: ReadonlySet<string>;
  /** The slugs of the spaces that the token is narrowed to; absent if it is not. */
  spaces?: ReadonlySet<string>;
  name?: string;
  client?: string;
  /** The browser's session cookie carried the token. */
  inBrowser?: true;
  jti?: string;
  /** The URL that the token was issued for (`aud`); absent if it may be used everywhere. */
  audience?: string;
  /** When the token was issued; 0 if it does not say. */
  issuedMs: number;
  expiresMs: number;
}

/** Every caller while auth is off: all scopes, in one namespace of its own. */
export const ANONYMOUS: Identity = {
  caller: { subject: undefined },
  scopes: new Set(SCOPES),
  issuedMs: Number.POSITIVE_INFINITY,
  expiresMs: Number.POSITIVE_INFINITY,
};

export interface AuthOptions {
  hs256Secret?: string;
  /** `allowAdmin`: whether its tokens may have the scope `admin`. */
  jwks?: { url: string; issuer: string; audience: string; allowAdmin: boolean };
  now: () => number;
  isRevoked: (identity: Identity) => boolean;
  /** The caller that a token's issuer, tenant and subject stand for; by default themselves. */
  callerOf?: (caller: Caller) => Caller;
}

export interface MintRequest {
  caller: Caller & { subject: string };
  scopes: readonly string[];
  /** The spaces that it is narrowed to; absent if it is not. */
  spaces?: readonly string[];
  ttlSeconds: number;
  /** Who mints it; absent for a login. */
  minter?: TokenRecord['minter'];
  /** The latest expiry, whatever `ttlSeconds` is. */
  notAfterMs?: number;
  name?: string;
  client?: string;
  /** Its id, if it was announced before; random by default. */
  jti?: string;
  /** The URL that the token is for; without it, it may be used everywhere. */
  audience?: string;
}

export interface Auth {
  verify(token: string): Promise<Identity>;
  mint(request: MintRequest): Promise<{ token: string; record: TokenRecord }>;
  readonly canMint: boolean;
}

const ISSUER = 'helmdeck';
const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const MAX_CACHED_TOKENS = 10_000;
/** The latest time a Date can represent; a later `exp` is clamped to it. */
const LATEST_DATE_MS = 8.64e15;
/** Codes of jose for a key set that cannot be fetched or read, which is not the token's fault. */
const KEY_SET_ERRORS = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'];

/** Verifies and mints JWTs: HS256 with the server's own secret, asymmetric algorithms with the keys of a JWKS. */
export function createAuth(options: AuthOptions): Auth {
  const secret =
    options.hs256Secret === undefined ? undefined : new TextEncoder().encode(options.hs256Secret);
  const jwks = options.jwks && createRemoteJWKSet(new URL(options.jwks.url));
  // Checking a signature costs more than everything else a request does, and agents send the same token all day.
  const verified = new BoundedMap<string, Identity>(MAX_CACHED_TOKENS);

  async function verifySignature(token: string): Promise<Identity> {
    const { alg } = protectedHeader(token);
    const currentDate = new Date(options.now());
    if (alg === 'HS256' && secret) {
      const { payload } = await jwtVerify(token, secret, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        currentDate,
      });
      // A token that a provider's subject minted for itself names the provider here.
      const identity = identityOf(payload, payload.idp, options.callerOf);
      return payload.aud === undefined ? identity : { ...identity, audience: audienceOf(payload.aud) };
    }
    if (alg !== undefined && ASYMMETRIC.includes(alg) && jwks) {
      const { issuer, audience, allowAdmin } = options.jwks!;
      const { payload } = await jwtVerify(token, jwks as JWTVerifyGetKey, {
        algorithms: ASYMMETRIC,
        issuer,
        audience,
        currentDate,
      });
      const identity = identityOf(payload, issuer, options.callerOf);
      return allowAdmin ? identity : { ...identity, scopes: withoutAdmin(identity.scopes) };
    }
    throw new AppError('invalid_token', 'The token is not signed in a way this server accepts.');
  }

  async function verifyOrExplain(token: string): Promise<Identity> {
    try {
      return await verifySignature(token);
    } catch (thrown) {
      throw toAuthError(thrown);
    }
  }

  return {
    canMint: secret !== undefined,
    async verify(token) {
      let identity = verified.get(token);
      if (!identity) {
        identity = await verifyOrExplain(token);
        verified.set(token, identity);
      }
      if (options.now() >= identity.expiresMs) {
        verified.delete(token);
        throw new AppError('token_expired', 'The token has expired.');
      }
      if (options.isRevoked(identity)) throw new AppError('token_revoked', 'The token was revoked.');
      return identity;
    },
    async mint(request) {
      if (!secret) {
        throw new AppError('login_disabled', 'This server mints no tokens.', {
          hint: 'Set HELMDECK_JWT_SECRET on the server.',
        });
      }
      const { issuer, subject, tenant } = request.caller;
      const createdMs = Math.floor(options.now() / 1000) * 1000;
      const { ttlSeconds, notAfterMs = Number.POSITIVE_INFINITY } = request;
      const expiresMs = Math.min(createdMs + ttlSeconds * 1000, Math.floor(notAfterMs / 1000) * 1000);
      const { name, client, minter, audience: aud, jti = randomUUID() } = request;
      const scopes = [...request.scopes];
      const spaces = request.spaces && [...request.spaces];
      const claims = { sub: subject, idp: issuer, tenant, scopes, spaces, name, client, jti, aud };
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setIssuedAt(createdMs / 1000)
        .setExpirationTime(expiresMs / 1000)
        .sign(secret);
      const named = { jti, issuer, subject, tenant, name, client, scopes, spaces };
      return { token, record: { ...named, minter, createdMs, expiresMs } };
    },
  };
}

export function assertScope(identity: Identity, scope: Scope): void {
  if (hasScope(identity.scopes, scope)) return;
  throw new AppError('insufficient_scope', `This needs the scope ${scope}.`, { scopes: [scope] });
}

export function isAdmin(identity: Identity): boolean {
  return identity.scopes.has('admin');
}

/** What a person's session may do and a program's token only if it was minted so: to decide for others. */
export const PERSONS_SCOPES: readonly string[] = ['memory:review', 'spaces:write'];

/** The token that `serve --init` prints: people sign in to the web UI with it, and give it to their programs. */
export const FIRST_TOKEN_CLIENT = 'first-token';

/** The identity of a request from the web UI. A person's session may decide on proposals; a program's token never may. */
export function inBrowser(identity: Identity): Identity {
  const { client, scopes } = identity;
  const isPersons = isPersonsClient(client) || client === FIRST_TOKEN_CLIENT;
  if (!isPersons) return identity;
  const mayMore = scopes.has('memory:write') && !scopes.has('admin');
  const persons = mayMore ? new Set([...scopes, ...PERSONS_SCOPES]) : scopes;
  return { ...identity, inBrowser: true, scopes: persons };
}

/** The source that a write with this identity is stamped with. */
export function sourceOf({ client, jti, inBrowser }: Identity, surface: string): Source {
  return {
    surface: inBrowser && surface === 'rest' ? 'ui' : surface,
    ...(client === undefined ? {} : { client }),
    ...(jti === undefined ? {} : { token_id: jti }),
  };
}

/** A token for several audiences would be accepted by each of them, and each could use it at the others. */
function audienceOf(aud: string | string[]): string {
  const [audience, ...others] = [aud].flat();
  if (typeof audience === 'string' && others.length === 0) return audience;
  throw new AppError('invalid_token', 'The token has more than one audience, or none.');
}

function protectedHeader(token: string): { alg?: string } {
  try {
    return decodeProtectedHeader(token);
  } catch {
    throw new AppError('invalid_token', 'The bearer token is not a JWT.');
  }
}

const withoutAdmin = (scopes: ReadonlySet<string>) => new Set([...scopes].filter((each) => each !== 'admin'));

function identityOf(
  claims: JWTPayload,
  issuer: unknown,
  callerOf = (caller: Caller): Caller => caller,
): Identity {
  const { sub, exp, iat, tenant, scopes, spaces, client, name, jti } = claims as JWTPayload &
    Record<string, unknown>;
  if (typeof sub !== 'string') throw new AppError('invalid_token', 'The token has no sub claim.');
  const problem =
    identityProblem('sub', sub) ??
    (tenant === undefined ? undefined : identityProblem('tenant', String(tenant)));
  if (problem) throw new AppError('invalid_token', `The token's ${problem}.`);
  if (issuer !== undefined && (typeof issuer !== 'string' || identityProblem('iss', issuer)))
    throw new AppError('invalid_token', "The token's idp is not the name of an identity provider.");
  if (tenant !== undefined && typeof tenant !== 'string')
    throw new AppError('invalid_token', "The token's tenant is not a string.");
  if (typeof exp !== 'number') throw new AppError('invalid_token', 'The token has no exp claim.');
  if (!isTextList(scopes) || !isTextList(spaces))
    throw new AppError('invalid_token', "The token's scopes or spaces are not an array of strings.");
  return {
    caller: callerOf({
      ...(issuer === undefined ? {} : { issuer }),
      ...(tenant === undefined ? {} : { tenant }),
      subject: sub,
    }),
    scopes: new Set(scopes ?? DEFAULT_SCOPES),
    ...(spaces === undefined ? {} : { spaces: new Set(spaces) }),
    name: typeof name === 'string' ? name : undefined,
    client: typeof client === 'string' ? client : undefined,
    jti: typeof jti === 'string' ? jti : undefined,
    issuedMs: typeof iat === 'number' ? iat * 1000 : 0,
    expiresMs: Math.min(exp * 1000, LATEST_DATE_MS),
  };
}

const isTextList = (input: unknown): input is string[] | undefined =>
  input === undefined || (Array.isArray(input) && input.every((each) => typeof each === 'string'));

function toAuthError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof errors.JWTExpired) return new AppError('token_expired', 'The token has expired.');
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    return new AppError('invalid_token', `The token's ${thrown.claim} claim is missing or not accepted.`, {
      cause: thrown,
    });
  }
  if (!(thrown instanceof errors.JOSEError) || KEY_SET_ERRORS.includes(thrown.code)) {
    return new AppError('resource_exhausted', 'The keys of the identity provider could not be fetched.', {
      hint: 'Check HELMDECK_JWKS_URL.',
      cause: thrown,
    });
  }
  return new AppError('invalid_token', 'The token cannot be verified.', { cause: thrown });
}
