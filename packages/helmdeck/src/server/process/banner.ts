import type { LoadedConfig } from '../config/config.ts';

// The text that `helmdeck serve --init` prints at the start.

export interface BannerInput {
  url: string;
  loaded: LoadedConfig;
  token: string | undefined;
  /** Names of the secrets that this start created. */
  created: string[];
  secretsFile: string;
}

/** Secrets, login, token and first commands. */
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

function accessLines({ url, loaded, token }: BannerInput): string[] {
  const { config, effective } = loaded;
  const publicUrl = config.publicUrl?.origin;
  const lines = [`  Address   ${publicUrl ?? url}    (API: ${publicUrl ?? url}/docs)`];
  if (publicUrl !== undefined) lines.push(`  Local     ${url}`);
  if (config.authDisabled) return [...lines, '  Login     none needed: auth is off', ''];
  if (config.adminPassword !== undefined) {
    const from = effective.find(({ name }) => name === 'HELMDECK_ADMIN_PASSWORD')?.from;
    const password = from === 'secrets file' ? config.adminPassword : 'the password you set';
    lines.push(`  Login     ${config.adminUsername} / ${password}`);
  }
  if (token === undefined) lines.push('  Token     from your identity provider');
  else lines.push(`  Token     ${token}`);
  return [...lines, ''];
}

function exampleLines({ url, loaded, token }: BannerInput): string[] {
  const bearer = loaded.config.authDisabled ? '' : ` -H 'Authorization: Bearer ${token ?? '<token>'}'`;
  return [
    'Store a fact:',
    `  curl -sS ${url}/api/v1/memory/store${bearer} -H 'Content-Type: application/json' -d '{"key":"user/editor","value":"prefers vim"}'`,
    'Read it back:',
    `  curl -sS ${url}/api/v1/memory/facts/user/editor${bearer}`,
  ];
}
