import { ERRORS, type ErrorCode, type ErrorEnvelope } from '../../../errors.ts';

// The hints of the server are for programs that speak REST. This turns an error into words for a person at a shell.

/** Routes, headers, fields of a body, names of packs, and the vault, for which there is a command. */
const ABOUT_REST = /\/api\/|\bheader|\bfield\b|\bin the vault\b|\bvault\.\w+/i;

const NEW_TOKEN =
  'Run "helmdeck login <address>", or set HELMDECK_TOKEN to a new token. A connected program gets one with "helmdeck connect <client> --write".';

const HINTS: Partial<Record<ErrorCode, string>> = {
  invalid_input: 'Correct it and run the command again; --help shows examples.',
  invalid_pipeline: 'Correct the file and run the command again.',
  missing_bearer: 'Set HELMDECK_TOKEN to a token of this server, or run "helmdeck login <address>".',
  invalid_token: NEW_TOKEN,
  token_expired: NEW_TOKEN,
  token_revoked: NEW_TOKEN,
  insufficient_scope:
    'Use a token with this scope ("helmdeck token mint --scope …"). On the machine of the server, unset HELMDECK_TOKEN to act as its admin.',
  forbidden_origin: 'Check HELMDECK_URL.',
  method_not_allowed: 'Is the server older than this program? Compare "helmdeck --version" on both.',
  precondition_failed: 'It has changed: read it with "helmdeck get", then decide again.',
  unsupported_media_type: 'Is the server older than this program? Compare "helmdeck --version" on both.',
  payload_too_large: 'Store less at once, or use "helmdeck import".',
  secret_detected:
    'Keep it in the vault with "helmdeck vault set <name>", and remember here only where to find it.',
  credential_invalid: 'Renew the credential with "helmdeck vault set <name>".',
  rate_limited: 'Wait a moment and run it again.',
};

/** The hint for a person at a shell. One of the server that is particular to the error and not about REST is kept. */
export function shellHint({ error, message, hint }: ErrorEnvelope): string | undefined {
  const isParticular = hint !== undefined && hint !== ERRORS[error]?.hint;
  if (isParticular && !ABOUT_REST.test(hint)) return hint;
  if (error === 'not_found') return notFoundHint(message);
  return HINTS[error] ?? hint;
}

/** The message with the options of the command line in place of the fields of a request. */
export function shellMessage(message: string): string {
  return message
    .replace(
      /\bttl_seconds must be at least (\d+) \([^)]*\)/,
      (_, seconds) => `--ttl must be at least ${asTime(seconds)}`,
    )
    .replace(
      /\bttl_seconds must be at most (\d+) \([^)]*\)/,
      (_, seconds) => `--ttl must be at most ${asTime(seconds)}`,
    )
    .replaceAll(/\bttl_seconds\b/g, '--ttl')
    .replaceAll(/\bif_version\b/g, '--if-version');
}

function notFoundHint(message: string): string {
  if (/\bpack\b/.test(message)) return '"helmdeck pack list" lists them.';
  if (/\bpipeline\b/.test(message)) return '"helmdeck pipeline list" lists them.';
  if (/\bsession\b/.test(message)) return '"helmdeck sessions" lists them.';
  if (/\bfact\b/.test(message))
    return 'It may have expired or been forgotten; "helmdeck list" and "helmdeck recall" find others.';
  if (/nothing at this address/.test(message))
    return 'Check HELMDECK_URL: the address of the server without a path, such as https://memory.example.com.';
  return ERRORS.not_found.hint;
}

function asTime(seconds: string): string {
  const count = Number(seconds);
  return count % 86_400 === 0 ? `${count / 86_400}d` : count % 3600 === 0 ? `${count / 3600}h` : `${count}`;
}
