import { AppError } from '../errors.ts';
import type { Caller } from '../memory/namespace.ts';

export const ROLES = ['admin', 'member'] as const;
export type Role = (typeof ROLES)[number];
export type AccountState = 'invited' | 'active' | 'disabled';

/** A person who can sign in. Sealed in the system namespace, under the name that never changes. */
export interface Account {
  /** The id of its row, in hex. */
  id: string;
  /** The identity provider that the person signs in with; absent for an account with a password. */
  issuer?: string;
  /** The subject of the person's tokens: it decides which memory is theirs. */
  name: string;
  /** The memory that the person's identity provider adopted, if it is not one of its own. */
  adopted?: Caller & { subject: string };
  displayName?: string;
  role: Role;
  disabled?: true;
  passwordHash?: string;
  invitation?: { secretHash: string; expiresMs: number };
  /** As the identity provider named them at the last sign-in. */
  groups?: string[];
  /** Instead of the quotas of the configuration. */
  quotaFacts?: number;
  quotaBytes?: number;
  createdMs: number;
  lastSignInMs?: number;
}

export function stateOf({ disabled, issuer, passwordHash }: Account): AccountState {
  if (disabled) return 'disabled';
  return issuer === undefined && passwordHash === undefined ? 'invited' : 'active';
}

/** The caller that the account's person is, as a token names it. */
export function callerOfAccount({ issuer, name, adopted }: Account): Caller & { subject: string } {
  if (adopted) return adopted;
  return issuer === undefined ? { subject: name } : { issuer, subject: name };
}

/** A member may do everything with their own memory; `memory:review` and `spaces:write` are for people, and programs do not inherit them. */
const MEMBER_SCOPES = [
  'memory:read',
  'memory:write',
  'memory:review',
  'spaces:write',
  'packs:run',
  'pipelines:run',
  'vault:read',
  'vault:write',
];

/** The scopes of a sign-in. */
export const scopesOf = ({ role }: Account): readonly string[] =>
  role === 'admin' ? ['admin'] : MEMBER_SCOPES;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;

/** Throws `invalid_input` unless the text can be the name of an account. */
export function assertAccountName(name: unknown): asserts name is string {
  if (typeof name === 'string' && NAME.test(name)) return;
  throw new AppError(
    'invalid_input',
    'name has 1 to 64 letters, digits and any of . _ @ + -, and begins with a letter or a digit.',
    { reason: 'bad_name' },
  );
}
