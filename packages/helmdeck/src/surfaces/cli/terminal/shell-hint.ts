import { ERRORS, type ErrorCode, type ErrorEnvelope } from '../../../errors.ts';
import type { AddressSource } from '../deps.ts';

// The hints of the server are for programs that speak REST. This turns an error into words for a person at a shell.

/** Routes, headers, fields of a body, names of packs, and the vault, for which there is a command. */
const ABOUT_REST = /\/api\/|\bheader|\bfield\b|\bin the vault\b|\bvault\.\w+/i;

const MINT = '"helmdeck token mint" prints one on the machine of the server';
const RECONNECT = 'A connected program gets one with "helmdeck connect <client> --write".';

/** What to do about a token that is not accepted. */
const TOKEN_HINTS: Record<AddressSource, string> = {
  HELMDECK_URL: `Set HELMDECK_TOKEN to a new token: ${MINT}. ${RECONNECT}`,
  login: `Run "helmdeck login" with this address and a new token: ${MINT}. HELMDECK_TOKEN, if it is set, is used instead.`,
  argument: `Enter the whole token, or a new one: ${MINT}.`,
  client: RECONNECT,
};
const LOCAL_TOKEN_HINT = `On the machine of the server commands need no token: unset HELMDECK_TOKEN. ${RECONNECT}`;
const TOKEN_CODES: ReadonlySet<ErrorCode> = new Set(['invalid_token', 'token_expired', 'token_revoked']);

const ADDRESS = 'the address of the server without a path, such as https://memory.example.com';
const ADDRESS_HINTS: Record<AddressSource, string> = {
  HELMDECK_URL: `Check HELMDECK_URL: ${ADDRESS}.`,
  login:
    'Commands go there since "helmdeck login". Log in to another address, or run "helmdeck logout" to use the server of this machine.',
  argument: `Check it: ${ADDRESS}.`,
  client: 'The address is that of the connected program: "helmdeck connect <client> --write" corrects it.',
};

/** How to correct the address of the server. */
export function addressHint(from: AddressSource | undefined): string {
  return from === undefined
    ? 'Run "helmdeck doctor": it checks the server of this machine.'
    : ADDRESS_HINTS[from];
}

export function unreachableHint(from: AddressSource | undefined): string {
  return from === undefined
    ? 'Start it with "helmdeck serve".'
    : `Check that it is running. ${ADDRESS_HINTS[from]}`;
}

export function redirectHint(from: AddressSource | undefined): string {
  return from === 'login' || from === 'argument'
    ? 'Run "helmdeck login" with the final address.'
    : 'Set HELMDECK_URL to the final address.';
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  invalid_input: 'Correct it and run the command again; --help shows examples.',
  invalid_pipeline: 'Correct the file and run the command again.',
  missing_bearer: 'Set HELMDECK_TOKEN to a token of this server, or run "helmdeck login <address>".',
  insufficient_scope:
    'Use a token with this scope ("helmdeck token mint --scope …"). On the machine of the server, unset HELMDECK_TOKEN to act as its admin.',
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
export function shellHint(
  { error, message, hint }: ErrorEnvelope,
  addressFrom?: AddressSource,
): string | undefined {
  const isParticular = hint !== undefined && hint !== ERRORS[error]?.hint;
  if (isParticular && !ABOUT_REST.test(hint)) return hint;
  if (TOKEN_CODES.has(error)) return addressFrom === undefined ? LOCAL_TOKEN_HINT : TOKEN_HINTS[addressFrom];
  if (error === 'forbidden_origin') return addressHint(addressFrom);
  if (error === 'not_found') return notFoundHint(message, addressFrom);
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

function notFoundHint(message: string, addressFrom: AddressSource | undefined): string {
  if (/\bpack\b/.test(message)) return '"helmdeck pack list" lists them.';
  if (/\bpipeline\b/.test(message)) return '"helmdeck pipeline list" lists them.';
  if (/\bsession\b/.test(message)) return '"helmdeck sessions" lists them.';
  if (/\bfact\b/.test(message))
    return 'It may have expired or been forgotten; "helmdeck list" and "helmdeck recall" find others.';
  if (/nothing at this address/.test(message)) return addressHint(addressFrom);
  return ERRORS.not_found.hint;
}

function asTime(seconds: string): string {
  const count = Number(seconds);
  return count % 86_400 === 0 ? `${count / 86_400}d` : count % 3600 === 0 ? `${count / 3600}h` : `${count}`;
}
