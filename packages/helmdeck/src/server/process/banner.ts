import type { AppError } from '../../errors.ts';
import type { LoadedConfig } from '../config/config.ts';

// The text that `helmdeck serve --init` prints at the start.

export interface BannerInput {
  url: string;
  loaded: LoadedConfig;
  token: string | undefined;
  /** Names of the secrets that this start created. */
  created: string[];
  secretsFile: string;
  /** Whether the output is a terminal. Elsewhere it may be kept in a log, so passwords and tokens are left out. */
  showSecrets: boolean;
  /** Why memory is off, if it is. */
  memoryProblem?: AppError;
}

/** Where the secrets are, the login, a token and first commands. */
export function banner(input: BannerInput): string {
  return [...secretsLines(input), ...accessLines(input), ...exampleLines(input)].join('\n');
}

function secretsLines({ created, secretsFile }: BannerInput): string[] {
  if (created.length === 0) return [`Secrets: ${secretsFile}`, ''];
  return [
    `First start: created ${created.join(', ')}`,
    `in ${secretsFile} (mode 0600, only you can read it).`,
    'Back up this file, separately from the database: without it no stored data can be read.',
    '',
  ];
}

function accessLines({ url, loaded, token, showSecrets, secretsFile }: BannerInput): string[] {
  const { config, effective } = loaded;
  const inFile = (name: string) => `${name} in ${secretsFile}`;
  const publicUrl = config.publicUrl?.origin;
  const lines = [`  Address   ${publicUrl ?? url}    (API: ${publicUrl ?? url}/docs)`];
  if (publicUrl !== undefined) lines.push(`  Local     ${url}`);
  if (config.authDisabled) return [...lines, '  Login     none needed: auth is off', ''];
  if (config.adminPassword !== undefined) {
    const from = effective.find(({ name }) => name === 'HELMDECK_ADMIN_PASSWORD')?.from;
    const shown = showSecrets ? config.adminPassword : inFile('HELMDECK_ADMIN_PASSWORD');
    const password = from === 'secrets file' ? shown : 'the password you set';
    lines.push(`  Login     ${config.adminUsername} / ${password}`);
  }
  if (token === undefined) lines.push('  Token     from your identity provider');
  else lines.push(`  Token     ${showSecrets ? token : inFile('HELMDECK_TOKEN')}`);
  return [...lines, ''];
}

function exampleLines(input: BannerInput): string[] {
  const { url, loaded, memoryProblem } = input;
  if (memoryProblem) return [`MEMORY IS OFF: ${memoryProblem.message}`, memoryProblem.hint];
  const bearer = loaded.config.authDisabled ? '' : ` -H ${authorization(input)}`;
  return [
    'Store a fact:',
    `  curl -sS ${url}/api/v1/memory/store${bearer} -H 'Content-Type: application/json' -d '{"key":"user/editor","value":"prefers vim"}'`,
    'Read it back:',
    `  curl -sS ${url}/api/v1/memory/facts/user/editor${bearer}`,
  ];
}

/** The header as a word for a shell, which reads a token that is not shown from the secrets file. */
function authorization({ token, showSecrets, secretsFile }: BannerInput): string {
  if (token === undefined || showSecrets) return `'Authorization: Bearer ${token ?? '<token>'}'`;
  const file = `'${secretsFile.replaceAll("'", "'\\''")}'`;
  return `"Authorization: Bearer $(sed -n s/^HELMDECK_TOKEN=//p ${file})"`;
}
