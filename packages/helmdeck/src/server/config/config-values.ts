import { type IpNetwork, parseNetwork } from '../../packs/egress/ip-address.ts';

// Parsers for the values of settings; each throws a ConfigError that names the variable.

/** The prefix of every variable. */
export const PREFIX = 'HELMDECK_';

/** The values of all settings, including defaults, by name without the prefix. */
export type Values = ReadonlyMap<string, string>;

/** An invalid setting. The message names the variable and never contains a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses HELMDECK_ADDR: `host:port`, `[ipv6]:port` or `:port`. */
export function parseAddress(text: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) throw new ConfigError('HELMDECK_ADDR must look like 127.0.0.1:3000.');
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port };
}

const YES = ['1', 'true', 'yes', 'on'];
const NO = ['0', 'false', 'no', 'off'];

export function flag(name: string, values: Values): boolean {
  return YES.includes(oneOf(name, (values.get(name) ?? '0').toLowerCase(), [...YES, ...NO]));
}

export function onOff(name: string, values: Values): boolean {
  return oneOf(name, values.get(name)!.toLowerCase(), ['on', 'off']) === 'on';
}

export function oneOf(name: string, value: string, allowed: string[]): string {
  if (!allowed.includes(value))
    throw new ConfigError(`${PREFIX}${name} must be one of ${allowed.join(', ')}.`);
  return value;
}

/** A positive integer, or undefined for `off`. */
export function positiveIntegerOrOff(name: string, values: Values): number | undefined {
  const text = values.get(name)!;
  return text.toLowerCase() === 'off' ? undefined : positiveInteger(name, text, ' or "off"');
}

/** A positive integer. */
export function positiveInteger(name: string, text: string, orElse = ''): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new ConfigError(`${PREFIX}${name} must be a whole number above 0${orElse}.`);
  return Number(text);
}

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `30m`, `24h`, `7d` or `1w`, in milliseconds. */
export function duration(name: string, values: Values): number {
  const match = /^([1-9]\d{0,3})([mhdw])$/.exec(values.get(name)!);
  if (!match) throw new ConfigError(`${PREFIX}${name} must look like 30m, 24h, 7d or 1w.`);
  return Number(match[1]) * UNIT_MS[match[2]!]!;
}

export function url(name: string, values: Values): string | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new ConfigError(`${PREFIX}${name} must be an http or https URL.`);
  return text.replace(/\/+$/, '');
}

/** HELMDECK_PUBLIC_URL: an origin, because pages and routes are at fixed paths. */
export function publicUrl(values: Values): URL | undefined {
  const text = url('PUBLIC_URL', values);
  if (text === undefined) return undefined;
  const parsed = new URL(text);
  if (parsed.href !== `${parsed.origin}/`)
    throw new ConfigError(
      `${PREFIX}PUBLIC_URL must have no path, query, fragment or credentials, like https://memory.example.org.`,
    );
  return parsed;
}

/** A comma-separated list of IP addresses and networks. */
export function networks(name: string, values: Values): IpNetwork[] {
  const entries = (values.get(name) ?? '').split(',').map((each) => each.trim());
  return entries.filter(Boolean).map((entry) => {
    const network = parseNetwork(entry);
    if (!network)
      throw new ConfigError(`${PREFIX}${name} must list addresses or networks, like 127.0.0.1,10.0.0.0/8.`);
    return network;
  });
}

/** A comma-separated list of secrets. */
export function secretList(name: string, values: Values): string[] {
  return (values.get(name) ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
}

/** Whether HELMDECK_DB is a SQLite file, not a database server or RAM. */
export function isFile(db: string): boolean {
  return !/^[a-z]+:/.test(db);
}

/** Whether the database is in RAM and lost when the process ends. */
export function isInMemory(db: string): boolean {
  return db.startsWith('memory:');
}
