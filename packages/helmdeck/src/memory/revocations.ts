import type { Caller } from './namespace.ts';
import { hasScope } from './scopes.ts';

/** What is known of a verified token when it is checked for revocation. */
export interface TokenClaims {
  caller: Caller;
  jti?: string;
  scopes: ReadonlySet<string>;
  issuedMs: number;
}

/**
 * Revokes tokens that this server need not have minted: one by its id, or all of a caller up to a time.
 * It applies within one tenant, and without `scopes` to every token; see `covers`.
 */
export interface Revocation {
  tenant?: string;
  /** Absent: the token with this `jti`, whichever subject it has. */
  caller?: { issuer?: string; subject: string };
  jti?: string;
  /** Tokens issued later are not revoked. */
  issuedUntilMs?: number;
  /** The scopes of the token that revoked: tokens with any other scope are not revoked. Absent if it was an admin's. */
  scopes?: readonly string[];
}

/** Whether a token with the scopes `own` may manage one with the scopes `other`: it must have them all, or be an admin's. */
export function covers(own: Iterable<string>, other: Iterable<string>): boolean {
  const held = new Set(own);
  return [...other].every((scope) => hasScope(held, scope));
}

export function isRevokedBy(
  { tenant, caller, jti, issuedUntilMs, scopes }: Revocation,
  token: TokenClaims,
): boolean {
  if (token.caller.tenant !== tenant) return false;
  if (caller && (caller.subject !== token.caller.subject || caller.issuer !== token.caller.issuer))
    return false;
  if (jti !== undefined && jti !== token.jti) return false;
  if (issuedUntilMs !== undefined && token.issuedMs > issuedUntilMs) return false;
  return scopes === undefined || covers(scopes, token.scopes);
}

/** The key of a revocation: a later one with the same key replaces it. */
export function revocationKey({ tenant, caller, jti, scopes }: Revocation): string {
  return JSON.stringify([tenant, caller?.issuer, caller?.subject, jti, scopes?.toSorted()]);
}

/** Revocations in RAM, found by the id or the caller of a token. */
export interface RevocationIndex {
  put(revocation: Revocation, expiresMs: number): void;
  has(token: TokenClaims): boolean;
  /**
   * How many tokens a caller has revoked by id, with tokens that have at least these scopes. Those of weaker tokens do not
   * count: a leaked one must not use up what its owner needs.
   */
  countOf(caller: Caller, scopes: readonly string[]): number;
  dropExpired(nowMs: number): void;
}

export function createRevocationIndex(): RevocationIndex {
  const byKey = new Map<string, { revocation: Revocation; expiresMs: number }>();
  const byTarget = new Map<string, Revocation[]>();
  const matches = (target: string, token: TokenClaims) =>
    byTarget.get(target)?.some((each) => isRevokedBy(each, token)) ?? false;

  function rebuild(): void {
    byTarget.clear();
    for (const { revocation } of byKey.values()) {
      const target = targetOf(revocation);
      byTarget.set(target, [...(byTarget.get(target) ?? []), revocation]);
    }
  }

  return {
    put(revocation, expiresMs) {
      byKey.set(revocationKey(revocation), { revocation, expiresMs });
      rebuild();
    },
    has(token) {
      if (byKey.size === 0) return false; // by far the most frequent case
      if (matches(callerTarget(token.caller), token)) return true;
      return token.jti !== undefined && matches(jtiTarget(token.jti), token);
    },
    countOf({ tenant, issuer, subject }, scopes) {
      let count = 0;
      for (const { revocation } of byKey.values()) {
        const { caller, jti } = revocation;
        if (revocation.scopes === undefined || jti === undefined || revocation.tenant !== tenant) continue;
        if (caller?.subject !== subject || caller?.issuer !== issuer) continue;
        if (covers(revocation.scopes, scopes)) count++;
      }
      return count;
    },
    dropExpired(nowMs) {
      for (const [key, { expiresMs }] of byKey) if (expiresMs <= nowMs) byKey.delete(key);
      rebuild();
    },
  };
}

const targetOf = ({ jti, caller, tenant }: Revocation) =>
  jti === undefined ? callerTarget({ ...caller!, tenant }) : jtiTarget(jti);
const jtiTarget = (jti: string) => `jti\0${jti}`;
// Subjects, tenants and issuers contain no control characters and are not empty.
const callerTarget = ({ issuer = '', tenant = '', subject = '' }: Caller) =>
  [issuer, tenant, subject].join('\0');
