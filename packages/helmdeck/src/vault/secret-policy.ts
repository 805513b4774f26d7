import { AppError } from '../errors.ts';
import { matchesHost } from './host-patterns.ts';

/** The limits of the vault. They do not depend on the configuration. */
export const SECRET_POLICY = Object.freeze({
  maxValueBytes: 32_768,
  maxHosts: 32,
  maxHostChars: 253,
  maxPlaces: 8,
  maxSecretsPerCaller: 1_000,
});

export const DEFAULT_PLACES: readonly string[] = ['header'];
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const LABEL = '[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?';
/** A host name, optionally with `*.` for all its subdomains, or an IPv6 address in brackets. */
const HOST = new RegExp(`^(?:(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*|\\[[0-9a-f:.]+\\])$`);

export function isSecretName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name);
}

/** Validates a secret; the error message contains neither its name nor its value. */
export function assertSecret(name: unknown, value: unknown): void {
  if (!isSecretName(name)) {
    throw new AppError('invalid_input', 'name must be 1 to 64 of the characters A-Z a-z 0-9 _ . and -.', {
      reason: 'bad_name',
    });
  }
  if (typeof value !== 'string' || value === '')
    throw new AppError('invalid_input', 'value must be a non-empty string.', {
      reason: 'missing_value',
    });
  // A lone surrogate is replaced by UTF-8 encoding, so a different secret would be sent.
  if (!value.isWellFormed())
    throw new AppError('invalid_input', 'value is not well-formed text.', { reason: 'bad_value' });
  if (Buffer.byteLength(value) > SECRET_POLICY.maxValueBytes) {
    throw new AppError('invalid_input', `value is longer than ${SECRET_POLICY.maxValueBytes} bytes.`, {
      reason: 'value_too_long',
    });
  }
}

/** The hosts a secret may be sent to, normalised like the host of a URL; an empty list allows any. */
export function checkedHosts(hosts: readonly unknown[]): string[] {
  if (hosts.length > SECRET_POLICY.maxHosts) refuseHosts(`at most ${SECRET_POLICY.maxHosts} are allowed`);
  return [...new Set(hosts.map(checkedHost))];
}

function checkedHost(host: unknown): string {
  const lower = typeof host === 'string' ? host.trim().toLowerCase().replace(/\.$/, '') : '';
  if (lower.length > SECRET_POLICY.maxHostChars || !HOST.test(lower))
    refuseHosts('each must be a host name such as api.example.com or *.example.com');
  return lower;
}

function refuseHosts(why: string): never {
  throw new AppError('invalid_input', `hosts is not valid: ${why}.`, { reason: 'bad_host' });
}

const PLACE = /^(?:header|url|body|header:[!#$%&'*+.^_`|~0-9a-z-]{1,128})$/;
/** Headers that carry credentials by their name: servers do not repeat these in responses. */
const CREDENTIAL_HEADER =
  /(?:^|[-_])(?:authori[sz]ation|auth|cookie|(?:access|auth)?token|secret|(?:api)?key|password|credentials?|signature)(?:$|[-_])/;

/** Where in a request a secret may stand: in one header by default. */
export function checkedPlaces(places: readonly unknown[] = DEFAULT_PLACES): string[] {
  const lower = places.map((place) => (typeof place === 'string' ? place.toLowerCase() : ''));
  if (
    lower.length === 0 ||
    lower.length > SECRET_POLICY.maxPlaces ||
    !lower.every((place) => PLACE.test(place))
  ) {
    throw new AppError('invalid_input', 'places must list header, header:NAME, url or body.', {
      reason: 'bad_place',
    });
  }
  return [...new Set(lower)];
}

/** Whether a secret with these places may stand in this header. */
export function headerAllowed(places: readonly string[], header: string): boolean {
  return places.includes(`header:${header}`) || (places.includes('header') && CREDENTIAL_HEADER.test(header));
}

/** Whether a secret bound to these hosts may be sent to this one. */
export function hostAllowed(hosts: readonly string[], hostname: string): boolean {
  if (hosts.length === 0) return true;
  return matchesHost(hosts, hostname.toLowerCase().replace(/\.$/, ''));
}
