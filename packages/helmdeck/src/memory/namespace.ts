import { AppError } from '../errors.ts';

/** The identity that owns a memory: a person's, which every surface derives from the token, or a space. */
export interface Caller {
  /** The random id of a space, in hex; only `memory/spaces/` sets it, and the other fields are then absent. */
  readonly space?: string;
  /** The identity provider that names the subject; absent for subjects of this server's own tokens. */
  readonly issuer?: string;
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
const ISSUER = 3;
const SPACE = 4;
const SPACE_ID = /^[0-9a-f]{32}$/;
/** Between issuer and subject in a name. An issuer is a URL without a fragment, so it contains none. */
const NAME_SEPARATOR = '#';
const CONTROL_CHARACTERS = /\p{Cc}/u;

/** Why a subject, tenant or issuer cannot name a namespace; `undefined` if it can. */
export function identityProblem(what: 'sub' | 'tenant' | 'iss', value: string): string | undefined {
  const bytes = Buffer.byteLength(value);
  if (bytes === 0) return `${what} is empty`;
  if (bytes > MAX_SUBJECT_BYTES) return `${what} is longer than ${MAX_SUBJECT_BYTES} bytes`;
  if (CONTROL_CHARACTERS.test(value)) return `${what} contains control characters`;
  // A lone surrogate is replaced on encoding, so two identities could end up in one namespace.
  if (!value.isWellFormed()) return `${what} is not well-formed text`;
  if (what === 'iss' && value.includes(NAME_SEPARATOR)) return `${what} contains ${NAME_SEPARATOR}`;
  return undefined;
}

/** Encodes a caller so that different callers never share an encoding. */
export function namespaceOf(caller: Caller): Namespace {
  if (caller.space !== undefined) return spaceNamespace(caller.space);
  if (caller.subject === undefined) return Buffer.from([ANONYMOUS]) as Namespace;
  if (caller.issuer !== undefined) {
    assertIdentity('iss', caller.issuer);
    const { issuer, ...local } = caller;
    return Buffer.concat([prefixed(ISSUER, issuer), namespaceOf(local)]) as Namespace;
  }
  assertIdentity('sub', caller.subject);
  const subject = Buffer.from(caller.subject);
  if (caller.tenant === undefined) return Buffer.concat([Buffer.from([SUBJECT]), subject]) as Namespace;
  assertIdentity('tenant', caller.tenant);
  return Buffer.concat([prefixed(TENANT_AND_SUBJECT, caller.tenant), subject]) as Namespace;
}

/** A tag of its own and random bytes: no encoding of an identity begins with this tag. */
function spaceNamespace(id: string): Namespace {
  if (!SPACE_ID.test(id)) throw new TypeError('not the id of a space');
  return Buffer.concat([Buffer.from([SPACE]), Buffer.from(id, 'hex')]) as Namespace;
}

/** A tag and a text with its length, so that what follows cannot be taken for a part of it. */
function prefixed(tag: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  const header = Buffer.alloc(5);
  header[0] = tag;
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

/** The inverse of `namespaceOf`. */
export function callerOf(namespace: Uint8Array): Caller {
  const bytes = Buffer.from(namespace);
  if (bytes[0] === ANONYMOUS) return { subject: undefined };
  if (bytes[0] === SPACE) return { space: bytes.toString('hex', 1), subject: undefined };
  if (bytes[0] === SUBJECT) return { subject: bytes.toString('utf8', 1) };
  const end = 5 + bytes.readUInt32BE(1);
  const text = bytes.toString('utf8', 5, end);
  if (bytes[0] === ISSUER) return { issuer: text, ...callerOf(bytes.subarray(end)) };
  return { tenant: text, subject: bytes.toString('utf8', end) };
}

/** A caller's name as shown to itself: its subject. */
export function callerName(caller: Caller): string {
  return caller.space === undefined ? (caller.subject ?? 'unknown') : `space ${caller.space}`;
}

/** A caller's name as shown to admins: `<issuer>#<subject>` for the subjects of an identity provider. */
export function fullCallerName(caller: Caller): string {
  const name = callerName(caller);
  return caller.issuer === undefined ? name : `${caller.issuer}${NAME_SEPARATOR}${name}`;
}

/** The inverse of `fullCallerName` within one tenant, where `issuers` are the identity providers in use. */
export function callerNamed(
  name: string,
  { tenant, issuers }: { tenant?: string; issuers: readonly string[] },
): Caller {
  const issuer = issuers.find((each) => name.startsWith(each + NAME_SEPARATOR));
  const inTenant = tenant === undefined ? {} : { tenant };
  if (issuer === undefined) return { ...inTenant, subject: name };
  return { issuer, ...inTenant, subject: name.slice(issuer.length + NAME_SEPARATOR.length) };
}

export function isSameCaller(a: Caller, b: Caller): boolean {
  return a.space === b.space && a.subject === b.subject && a.tenant === b.tenant && a.issuer === b.issuer;
}

function assertIdentity(what: 'sub' | 'tenant' | 'iss', value: string): void {
  const problem = identityProblem(what, value);
  if (problem) throw new AppError('invalid_token', `The token's ${problem}.`);
}
