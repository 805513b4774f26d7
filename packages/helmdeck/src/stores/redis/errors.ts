import { AppError } from '../../errors.ts';
import { explained, isUntrusted, type StoreErrorText } from '../store-errors.ts';

const UNREACHABLE: StoreErrorText = {
  reason: 'unreachable',
  message: 'Redis does not answer.',
  hint: 'Check that it runs and that its address is right; Helmdeck connects again by itself.',
};

const UNTRUSTED: StoreErrorText = {
  reason: 'tls',
  message: 'The encrypted connection to Redis failed.',
  hint: 'Check the certificate of the server; one of your own authority is made known with NODE_EXTRA_CA_CERTS.',
};
const TIMED_OUT: StoreErrorText = {
  reason: 'timeout',
  message: 'Redis did not answer in time; whether the write was kept is not known.',
  hint: 'Read before you write again. Check the load of the server and the way to it.',
};

/** By the first word of what Redis answered. */
const ANSWERS: Record<string, StoreErrorText> = {
  ...forAll(['NOAUTH', 'WRONGPASS'], {
    reason: 'wrong_password',
    message: 'Redis refuses the user name or the password.',
    hint: 'Put them into the address: redis://user:password@host:6379, with special signs percent-encoded.',
  }),
  ...forAll(['NOPERM'], {
    reason: 'forbidden',
    message: 'The user at Redis may not do what Helmdeck needs.',
    hint: 'Let it use all keys and channels that begin with the prefix, and the commands that docs/howto/redis.md lists.',
  }),
  ...forAll(['READONLY'], {
    reason: 'read_only',
    message: 'This Redis is a replica and takes no writes.',
    hint: 'Give the address of the primary; after a failover, one that always leads there.',
  }),
  ...forAll(['OOM'], {
    reason: 'out_of_memory',
    message: 'Redis has no memory left.',
    hint: 'Raise its maxmemory, or forget what is no longer needed: deleting still works.',
  }),
  ...forAll(['MISCONF', 'NOREPLICAS'], {
    reason: 'not_durable',
    message: 'Redis takes no writes because it could not keep them.',
    hint: 'Look into the log of Redis: its disk is full, it cannot write there, or it lacks replicas.',
  }),
  ...forAll(['LOADING', 'BUSY', 'MASTERDOWN', 'TRYAGAIN', 'UNKILLABLE'], {
    reason: 'busy',
    message: 'Redis is busy: it still loads its data, or a long command runs.',
    hint: 'Wait a moment and try again.',
  }),
  ...forAll(['MOVED', 'ASK', 'CLUSTERDOWN', 'CROSSSLOT'], {
    reason: 'cluster_changes',
    message: 'The Redis cluster cannot say where this data is.',
    hint: 'Wait until the cluster is whole: "redis-cli cluster info" says cluster_state:ok.',
  }),
};

/** Classes of the client whose text is what Redis said. */
const REPLIES = ['SimpleError', 'BlobError', 'ErrorReply'];

function forAll(words: string[], explanation: StoreErrorText): Record<string, StoreErrorText> {
  return Object.fromEntries(words.map((word) => [word, explanation]));
}

/** What Redis said, as an error that names neither a key nor the address; `undefined` means that it took too long. */
export function redisError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const word = answerWord(thrown);
  return explained(word ? (ANSWERS[word] ?? refused(word)) : noAnswer(thrown), thrown);
}

function noAnswer(thrown: unknown): StoreErrorText {
  if (thrown === undefined) return TIMED_OUT;
  return isCertificateProblem(thrown) ? UNTRUSTED : UNREACHABLE;
}

/** Trying again does not make a certificate better. */
export function isCertificateProblem(thrown: unknown): boolean {
  return isUntrusted((thrown as NodeJS.ErrnoException)?.code ?? '');
}

/** `NOAUTH`, `OOM`…; nothing when it was not Redis that answered. */
export function answerWord(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (!REPLIES.includes(thrown.constructor.name)) return answerWord(thrown.cause);
  return /^([A-Z]+)\b/.exec(thrown.message)?.[1];
}

function refused(word: string): StoreErrorText {
  return {
    reason: 'refused',
    message: `Redis refused a command (${word}).`,
    hint: 'Helmdeck needs Redis 7 or later, or Valkey; run "helmdeck doctor" on the server.',
  };
}
