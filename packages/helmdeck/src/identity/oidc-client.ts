import * as oidc from 'openid-client';
import { identityProblem } from '../memory/namespace.ts';
import type { ExternalPerson } from './accounts.ts';

/** An identity provider, and whom of its people may sign in. */
export interface OidcOptions {
  issuer: string;
  clientId: string;
  clientSecret?: string;
  /** The claim that becomes the subject of a person's tokens. */
  subjectClaim: string;
  groupsClaim?: string;
  allow: { everyone: boolean; domains: readonly string[]; groups: readonly string[] };
  /** Where the provider sends the browser back to. */
  redirectUri: string;
}

/** What a sign-in must come back with; only the browser that began it has this. */
export interface SignInChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Why a sign-in ended without a session. */
export type SignInProblem =
  | 'not_allowed'
  | 'account_disabled'
  | 'expired'
  | 'provider_unreachable'
  | 'cancelled'
  | 'failed';

export class SignInError extends Error {
  readonly problem: SignInProblem;
  /** The person that the provider vouched for and that may not sign in. */
  readonly person: ExternalPerson | undefined;
  constructor(problem: SignInProblem, details: { cause?: unknown; person?: ExternalPerson } = {}) {
    super(problem, { cause: details.cause });
    this.name = 'SignInError';
    this.problem = problem;
    this.person = details.person;
  }
}

export interface OidcClient {
  readonly issuer: string;
  /** The page of the provider to send the browser to. */
  start(): Promise<{ url: URL; checks: SignInChecks }>;
  /** The person that the provider's answer is about, if they may sign in. Throws `SignInError`. */
  finish(answer: URLSearchParams, checks: SignInChecks): Promise<ExternalPerson>;
}

/** The client, and the key that seals what a sign-in must come back with. */
export interface OidcSignIn {
  client: OidcClient;
  key: Uint8Array;
}

const TIMEOUT_SECONDS = 10;
/** How far the clocks of this server and the provider may differ. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** Anyone may begin a sign-in, so the provider is asked for its metadata at most this often. */
const METADATA_MAX_AGE_MS = 60_000;
const MAX_GROUPS = 200;
const MAX_GROUP_CHARS = 256;

/** The code flow with PKCE, state and nonce, by a certified library. */
export function createOidcClient(options: OidcOptions): OidcClient {
  const { issuer, redirectUri } = options;
  let recent: { provider: Promise<oidc.Configuration>; atMs: number } | undefined;

  async function discover(): Promise<oidc.Configuration> {
    const url = new URL(issuer);
    const { clientId, clientSecret } = options;
    const metadata = {
      [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    };
    try {
      const provider = await oidc.discovery(
        url,
        clientId,
        metadata,
        clientSecret === undefined ? oidc.None() : undefined,
        {
          timeout: TIMEOUT_SECONDS,
          // The configuration allows http on loopback addresses only.
          execute: [
            oidc.enableNonRepudiationChecks,
            ...(url.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
          ],
        },
      );
      if (provider.serverMetadata().issuer !== issuer)
        throw new TypeError('HELMDECK_OIDC_ISSUER is not exactly the issuer that the provider names');
      return provider;
    } catch (thrown) {
      throw new SignInError('provider_unreachable', { cause: thrown });
    }
  }

  function recentProvider(): Promise<oidc.Configuration> {
    if (recent && performance.now() - recent.atMs < METADATA_MAX_AGE_MS) return recent.provider;
    const own = { provider: discover(), atMs: performance.now() };
    recent = own;
    own.provider.catch(() => {
      if (recent === own) recent = undefined;
    });
    return own.provider;
  }

  /** The claims of the ID token, and those that the provider gives only at its userinfo endpoint. */
  async function claimsOf(
    provider: oidc.Configuration,
    tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
  ): Promise<Record<string, unknown>> {
    const claims = tokens.claims()!;
    const needed = ['email', 'name', options.subjectClaim, options.groupsClaim];
    const isComplete = needed.every((name) => name === undefined || claims[name] !== undefined);
    if (isComplete || provider.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub)), ...claims };
  }

  return {
    issuer,
    async start() {
      const provider = await recentProvider();
      const checks = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
      };
      const known = provider.serverMetadata().scopes_supported ?? [];
      const asksForGroups = options.groupsClaim !== undefined && known.includes('groups');
      const url = oidc.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: `openid profile email${asksForGroups ? ' groups' : ''}`,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url, checks };
    },
    async finish(answer, { state, nonce, codeVerifier }) {
      // Not the recent one: it would hold keys from before the provider changed them.
      const provider = await discover();
      const url = new URL(redirectUri);
      url.search = answer.toString();
      let claims: Record<string, unknown>;
      try {
        const tokens = await oidc.authorizationCodeGrant(provider, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        claims = await claimsOf(provider, tokens);
      } catch (thrown) {
        throw new SignInError(problemOf(thrown), { cause: thrown });
      }
      const person = personOf(claims, options);
      if (!isAllowed(claims, person, options)) throw new SignInError('not_allowed', { person });
      return person;
    },
  };
}

function problemOf(thrown: unknown): SignInProblem {
  if (thrown instanceof oidc.AuthorizationResponseError)
    return thrown.error === 'access_denied' ? 'cancelled' : 'failed';
  const { code, cause } = thrown as { code?: string; cause?: unknown };
  if (code === 'OAUTH_TIMEOUT') return 'provider_unreachable';
  // A fetch that reached no server.
  return cause instanceof TypeError || (thrown instanceof TypeError && cause instanceof Error)
    ? 'provider_unreachable'
    : 'failed';
}

function personOf(claims: Record<string, unknown>, options: OidcOptions): ExternalPerson {
  const subject = claims[options.subjectClaim];
  if (typeof subject !== 'string' || identityProblem('sub', subject) !== undefined)
    throw new SignInError('failed', { cause: new TypeError('the subject claim is missing or unusable') });
  // Someone else may have an address that was never verified.
  if (options.subjectClaim === 'email' && claims.email_verified !== true)
    throw new SignInError('not_allowed', { cause: new TypeError('the email address is not verified') });
  const names = [claims.name, claims.preferred_username, claims.email];
  const displayName = names.find((each) => typeof each === 'string' && each !== '') as string | undefined;
  return {
    issuer: options.issuer,
    subject,
    displayName: displayName?.replaceAll(/\p{Cc}/gu, ' ').slice(0, 128),
    groups: options.groupsClaim === undefined ? undefined : groupsIn(claims[options.groupsClaim]),
  };
}

function groupsIn(claim: unknown): string[] {
  const list = Array.isArray(claim) ? claim : typeof claim === 'string' ? [claim] : [];
  return list
    .filter((each): each is string => typeof each === 'string' && each.length <= MAX_GROUP_CHARS)
    .slice(0, MAX_GROUPS);
}

function isAllowed(
  claims: Record<string, unknown>,
  { groups = [] }: ExternalPerson,
  { allow }: OidcOptions,
): boolean {
  if (allow.everyone || groups.some((group) => allow.groups.includes(group))) return true;
  const { email, email_verified: isVerified } = claims;
  if (typeof email !== 'string' || isVerified !== true) return false;
  return allow.domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}
