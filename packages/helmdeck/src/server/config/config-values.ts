/** The name every setting begins with. */
export const PREFIX = 'HELMDECK_';

/** What was set, by name without the prefix; defaults included. */
export type Values = ReadonlyMap<string, string>;

/** A mistake in the configuration; its message names the variable and never holds a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function address(text: string): { host: string; port: number } {
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

export function limit(name: string, values: Values): number | undefined {
  const text = values.get(name)!;
  return text.toLowerCase() === 'off' ? undefined : whole(name, text, ' or "off"');
}

export function whole(name: string, text: string, orElse = ''): number {
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

/** Several secrets in one variable. */
export function secretList(name: string, values: Values): string[] {
  return (values.get(name) ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
}

/** Whether memory is one file here, and not a server elsewhere or nothing that lasts. */
export function isFile(db: string): boolean {
  return !/^[a-z]+:/.test(db);
}

/** Whether memory ends with the process. */
export function isInMemory(db: string): boolean {
  return db.startsWith('memory:');
}
