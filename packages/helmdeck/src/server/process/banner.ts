import type { LoadedConfig } from '../config/config.ts';

export interface BannerFacts {
  url: string;
  loaded: LoadedConfig;
  token: string | undefined;
  /** Names of secrets that this start made, and the file they are in. */
  created: string[];
  secretsFile: string;
}

/** What a person needs for the first minute with a server. */
export function banner(facts: BannerFacts): string {
  return [...firstStart(facts), ...access(facts), ...tryIt(facts)].join('\n');
}

function firstStart({ created, secretsFile }: BannerFacts): string[] {
  if (created.length === 0) return [`Secrets: ${secretsFile}`, ''];
  return [
    `First start: made ${created.join(', ')}`,
    `in ${secretsFile} (mode 0600, only you can read it).`,
    'Back this file up, apart from the database: without it nothing stored can be read again.',
    '',
  ];
}

function access({ url, loaded, token }: BannerFacts): string[] {
  const { config, effective } = loaded;
  const lines = [`  Address   ${url}    (API: ${url}/docs)`];
  if (config.authDisabled) return [...lines, '  Login     none needed: auth is off', ''];
  if (config.adminPassword !== undefined) {
    const from = effective.find(({ name }) => name === 'HELMDECK_ADMIN_PASSWORD')?.from;
    const password = from === 'secrets file' ? config.adminPassword : 'the password you set';
    lines.push(`  Login     ${config.adminUsername} / ${password}`);
  }
  if (token === undefined) lines.push('  Token     one of your identity provider');
  else lines.push(`  Token     ${token}`);
  return [...lines, ''];
}

function tryIt({ url, loaded, token }: BannerFacts): string[] {
  const bearer = loaded.config.authDisabled ? '' : ` -H 'Authorization: Bearer ${token ?? '<token>'}'`;
  return [
    'Store a fact:',
    `  curl -sS ${url}/api/v1/memory/store${bearer} -H 'Content-Type: application/json' -d '{"key":"user/editor","value":"prefers vim"}'`,
    'Read it back:',
    `  curl -sS ${url}/api/v1/memory/facts/user/editor${bearer}`,
  ];
}
