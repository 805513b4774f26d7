import type { McpProfile } from '../commands/mcp-profiles.ts';
import { counted } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';
import type { Checked } from './check-connection.ts';
import type { Client } from './client.ts';
import type { FileChange } from './connect-plan.ts';
import { replaceConfig } from './formats/config-file.ts';

/** Stands where the token will; a dry run makes none. */
export const PLACEHOLDER = '<a new token>';

export interface FileReport {
  path: string;
  changed: boolean;
  backup?: string;
}

/** What was done, or would be. Never the token itself. */
export interface ConnectReport {
  client: string;
  action: 'connect' | 'remove';
  written: boolean;
  subject?: string;
  address?: string;
  profile?: McpProfile;
  files: FileReport[];
  token: {
    state: 'none' | 'new' | 'kept' | 'held' | 'revoked';
    scopes: string[];
    jti?: string;
    expires_at?: string;
    revoked_old?: boolean;
  };
  check?: Checked;
  /** In a dry run, what would be added. */
  shown?: { path: string; text: string }[];
  notes: string[];
  next?: string;
}

export async function writeChanges(changes: readonly FileChange[], nowMs: number): Promise<FileReport[]> {
  const files: FileReport[] = [];
  for (const { path, before, after, secret } of changes) {
    if (before === after) files.push({ path, changed: false });
    else files.push({ path, changed: true, backup: await replaceConfig(path, after, { secret, nowMs }) });
  }
  return files;
}

export function renderReport(screen: Screen, client: Client, report: ConnectReport): string {
  const lines = report.action === 'remove' ? removed(client, report) : connected(screen, client, report);
  return lines.map(printable).join('\n');
}

function connected(screen: Screen, client: Client, report: ConnectReport): string[] {
  const { subject, address, check, token, files, notes, shown, next } = report;
  if (!report.written) {
    const will = files.some(({ changed }) => changed) || token.state === 'new';
    return [
      `${client.title} would be connected to ${address} as ${subject}.`,
      ...(shown ?? []).flatMap(({ path, text }) => ['', screen.paint('bold', path), text.trimEnd()]),
      '',
      ...notes,
      will
        ? 'Nothing was changed. Add --write to do it; what else stands in the files stays.'
        : 'All of it is there already.',
    ];
  }
  const tools = check ? `: ${counted(check.tools.length, 'tool')} answer` : '';
  return [
    `${client.title} is connected to ${address} as ${subject}${tools}.`,
    ...files.map(fileLine),
    ...tokenLines(report),
    ...notes.map((note) => `  note    ${note}`),
    ...(next ? [`  next    ${next}`] : []),
  ];
}

function tokenLines({ token, client }: ConnectReport): string[] {
  if (token.state === 'none') return ['  token   none: this server asks for none'];
  if (token.state === 'kept') return ['  token   the one it had is good and was kept'];
  const until = token.expires_at?.slice(0, 10);
  const old =
    token.revoked_old === undefined ? [] : [token.revoked_old ? 'revoked' : 'was no longer known here'];
  return [
    `  token   a new one for ${client}, may ${token.scopes.join(' ')}, until ${until}; id ${token.jti}`,
    ...old.map((what) => `  before  the token it had ${what === 'revoked' ? 'is revoked' : what}`),
  ];
}

function removed(client: Client, report: ConnectReport): string[] {
  const { files, notes, token, written } = report;
  const changed = files.filter((file) => file.changed);
  if (changed.length === 0) return [`${client.title} has nothing of Helmdeck in its settings.`];
  if (!written)
    return [
      `Helmdeck would be taken out of ${changed.map(({ path }) => path).join(' and ')}.`,
      `Nothing was changed. Add --write to do it${token.state === 'held' ? ' and to revoke its token' : ''}.`,
    ];
  return [
    `${client.title} is no longer connected.`,
    ...changed.map(fileLine),
    ...(token.state === 'revoked' ? ['  token   revoked'] : []),
    ...notes.map((note) => `  note    ${note}`),
  ];
}

function fileLine({ path, changed, backup }: FileReport): string {
  if (!changed) return `  as is   ${path}`;
  return `  wrote   ${path}${backup ? ` (before: ${backup})` : ''}`;
}
