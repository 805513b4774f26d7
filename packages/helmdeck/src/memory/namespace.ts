import { AppError } from '../errors.ts';

/** The identity that owns a memory. Every surface derives it from the token. */
export interface Caller {
  readonly tenant?: string;
  /** `undefined` is the anonymous caller of a server without auth, distinct from a subject called `unknown`. */
  readonly subject: string | undefined;
}

declare const namespaceBrand: unique symbol;

/** The injective encoding of a caller. Only `namespaceOf` creates one. */
export type Namespace = Buffer & { readonly [namespaceBrand]: true };

const MAX_SUBJECT_BYTES = 256;
const ANONYMOUS = 0;
const SUBJECT = 1;
const TENANT_AND_SUBJECT = 2;
const CONTROL_CHARACTERS = /\p{Cc}/u;

/** Why a subject or tenant cannot name a namespace; `undefined` if it can. */
export function identityProblem(what: 'sub' | 'tenant', value: string): string | undefined {
  const bytes = Buffer.byteLength(value);
  if (bytes === 0) return `${what} is empty`;
  if (bytes > MAX_SUBJECT_BYTES) return `${what} is longer than ${MAX_SUBJECT_BYTES} bytes`;
  if (CONTROL_CHARACTERS.test(value)) return `${what} contains control characters`;
  // A lone surrogate is replaced on encoding, so two identities could end up in one namespace.
  if (!value.isWellFormed()) return `${what} is not well-formed text`;
  return undefined;
}

/** Encodes a caller so that different callers never share an encoding. */
export function namespaceOf(caller: Caller): Namespace {
  if (caller.subject === undefined) return Buffer.from([ANONYMOUS]) as Namespace;
  assertIdentity('sub', caller.subject);
  const subject = Buffer.from(caller.subject);
  if (caller.tenant === undefined) return Buffer.concat([Buffer.from([SUBJECT]), subject]) as Namespace;
  assertIdentity('tenant', caller.tenant);
  const tenant = Buffer.from(caller.tenant);
  const header = Buffer.alloc(5);
  header[0] = TENANT_AND_SUBJECT;
  header.writeUInt32BE(tenant.length, 1);
  return Buffer.concat([header, tenant, subject]) as Namespace;
}

/** The inverse of `namespaceOf`. */
export function callerOf(namespace: Uint8Array): Caller {
  const bytes = Buffer.from(namespace);
  if (bytes[0] === ANONYMOUS) return { subject: undefined };
  if (bytes[0] === SUBJECT) return { subject: bytes.toString('utf8', 1) };
  const tenantEnd = 5 + bytes.readUInt32BE(1);
  return { tenant: bytes.toString('utf8', 5, tenantEnd), subject: bytes.toString('utf8', tenantEnd) };
}

/** A caller's name as shown to people. */
export function callerName(caller: Caller): string {
  return caller.subject ?? 'unknown';
}

function assertIdentity(what: 'sub' | 'tenant', value: string): void {
  const problem = identityProblem(what, value);
  if (problem) throw new AppError('invalid_token', `The token's ${problem}.`);
}
