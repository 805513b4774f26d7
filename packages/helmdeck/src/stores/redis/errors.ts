import { AppError } from '../../errors.ts';
import { isTlsErrorCode, type StoreErrorText, storeError } from '../store-errors.ts';

const UNREACHABLE: StoreErrorText = {
  reason: 'unreachable',
  message: 'Redis cannot be reached.',
  hint: 'Check that it is running and that its address is right; Helmdeck reconnects by itself.',
};

const UNTRUSTED: StoreErrorText = {
  reason: 'tls',
  message: 'The encrypted connection to Redis failed.',
  hint: 'Check the certificate of the server; for a private certificate authority set NODE_EXTRA_CA_CERTS.',
};
export const BUSY: StoreErrorText = {
  reason: 'busy',
  message: 'Redis is busy: it is loading its data, or running a long command.',
  hint: 'Wait a moment and retry.',
};
const TIMED_OUT: StoreErrorText = {
  reason: 'timeout',
  message: 'Redis did not respond in time; a write may or may not have been stored.',
  hint: 'Read before you retry a write. Check the load of the server and the network.',
};

/** By the error code of a reply, which is its first word. */
const BY_REPLY_CODE: Record<string, StoreErrorText> = {
  ...forAll(['NOAUTH', 'WRONGPASS'], {
    reason: 'wrong_password',
    message: 'Redis rejected the user name or the password.',
    hint: 'Put them into the address: redis://user:password@host:6379, with special characters percent-encoded.',
  }),
  ...forAll(['NOPERM'], {
    reason: 'forbidden',
    message: 'The Redis user lacks a permission that Helmdeck needs.',
    hint: 'Allow all keys and channels that begin with the prefix, and the commands listed in docs/howto/redis.md.',
  }),
  ...forAll(['READONLY'], {
    reason: 'read_only',
    message: 'Redis is read-only: it is a replica.',
    hint: 'Use the address of the primary, one that still points to it after a failover.',
  }),
  ...forAll(['OOM'], {
    reason: 'out_of_memory',
    message: 'Redis is out of memory.',
    hint: 'Raise its maxmemory, or delete what is no longer needed: deleting still works.',
  }),
  ...forAll(['MISCONF', 'NOREPLICAS'], {
    reason: 'not_durable',
    message: 'Redis rejects writes because it cannot persist them.',
    hint: 'Check the log of Redis: its disk is full or not writable, or too few replicas are connected.',
  }),
  ...forAll(['LOADING', 'BUSY', 'MASTERDOWN', 'TRYAGAIN', 'UNKILLABLE'], BUSY),
  ...forAll(['MOVED', 'ASK', 'CLUSTERDOWN', 'CROSSSLOT'], {
    reason: 'cluster_changes',
    message: 'The Redis cluster is changing: it cannot locate the data.',
    hint: 'Wait until "redis-cli cluster info" reports cluster_state:ok.',
  }),
};

/** Error classes of the client that stand for an error reply. */
const REPLY_ERRORS = ['SimpleError', 'BlobError', 'ErrorReply'];

function forAll(codes: string[], text: StoreErrorText): Record<string, StoreErrorText> {
  return Object.fromEntries(codes.map((code) => [code, text]));
}

/** Turns an error of the client into one without any key or address; `undefined` stands for a timeout. */
export function toStoreError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = replyErrorCode(thrown);
  return storeError(code ? (BY_REPLY_CODE[code] ?? rejected(code)) : connectionErrorText(thrown), thrown);
}

function connectionErrorText(thrown: unknown): StoreErrorText {
  if (thrown === undefined) return TIMED_OUT;
  return isTlsError(thrown) ? UNTRUSTED : UNREACHABLE;
}

/** Not worth a retry: the certificate stays the same. */
export function isTlsError(thrown: unknown): boolean {
  return isTlsErrorCode((thrown as NodeJS.ErrnoException)?.code ?? '');
}

/** The code of an error reply, such as `NOAUTH` or `OOM`; `undefined` for any other error. */
export function replyErrorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (!REPLY_ERRORS.includes(thrown.constructor.name)) return replyErrorCode(thrown.cause);
  return /^([A-Z]+)\b/.exec(thrown.message)?.[1];
}

function rejected(code: string): StoreErrorText {
  return {
    reason: 'refused',
    message: `Redis rejected a command (${code}).`,
    hint: 'Helmdeck needs Redis 7 or later, or Valkey; run "helmdeck doctor" on the server.',
  };
}
