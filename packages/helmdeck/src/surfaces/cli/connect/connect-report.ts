import type { McpProfile } from '../commands/mcp-profiles.ts';
import type { Machine } from '../deps.ts';
import { counted } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';
import type { ConnectionCheck } from './check-connection.ts';
import type { Client } from './client.ts';
import type { FileChange } from './connect-plan.ts';
import { type ConnectRecord, openConnectRecord } from './connect-record.ts';
import { replaceConfig, restoreConfig } from './formats/config-file.ts';

/** Shown in place of the token in a dry run, which creates none. */
export const PLACEHOLDER = '<a new token>';

export interface FileReport {
  path: string;
  changed: boolean;
  /** Set if the file was deleted, because `connect` had created it. */
  deleted?: true;
  backup?: string;
}

/** What was changed, or would be in a dry run. Never contains the token itself. */
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
  check?: ConnectionCheck;
  /** In a dry run, what would be added. */
  shown?: { path: string; text: string }[];
  notes: string[];
  next?: string;
}

export function writeFiles(
  changes: readonly FileChange[],
  machine: Machine,
  nowMs: number,
): Promise<FileReport[]> {
  return applyChanges(changes, machine, ({ path, after, secret }, record) =>
    replaceConfig(path, after ?? '', { secret, nowMs, record }),
  );
}

export function restoreFiles(
  changes: readonly FileChange[],
  machine: Machine,
  nowMs: number,
): Promise<FileReport[]> {
  return applyChanges(changes, machine, ({ path, after }, record) =>
    restoreConfig(path, after, { nowMs, record }),
  );
}

async function applyChanges(
  changes: readonly FileChange[],
  { stateDir }: Machine,
  apply: (change: FileChange, record: ConnectRecord) => Promise<string | undefined>,
): Promise<FileReport[]> {
  const record = await openConnectRecord(stateDir);
  const files: FileReport[] = [];
  for (const change of changes) {
    const { path, before, after } = change;
    if (before === after) {
      files.push({ path, changed: false });
      continue;
    }
    const backup = await apply(change, record);
    files.push({ path, changed: true, ...(after === undefined ? { deleted: true } : {}), backup });
  }
  await record.save().catch(() => undefined); // without it, modes and folders stay as they are now
  return files;
}

export function renderReport(screen: Screen, client: Client, report: ConnectReport): string {
  const lines =
    report.action === 'remove' ? describeRemove(client, report) : describeConnect(screen, client, report);
  return lines.map(printable).join('\n');
}

function describeConnect(screen: Screen, client: Client, report: ConnectReport): string[] {
  const { subject, address, check, token, files, notes, shown, next } = report;
  if (!report.written) {
    const hasChanges = files.some(({ changed }) => changed) || token.state === 'new';
    return [
      `${client.title} would be connected to ${address} as ${subject}.`,
      ...(shown ?? []).flatMap(({ path, text }) => ['', screen.paint('bold', path), text.trimEnd()]),
      '',
      ...notes,
      hasChanges
        ? 'Nothing was changed. Add --write to write it; the rest of the files stays as it is.'
        : 'It is already connected.',
    ];
  }
  const tools = check ? ` with ${counted(check.tools.length, 'tool')}` : '';
  return [
    `${client.title} is connected to ${address} as ${subject}${tools}.`,
    ...files.map(fileLine),
    ...tokenLines(report),
    ...notes.map((note) => `  note    ${note}`),
    ...(next ? [`  next    ${next}`] : []),
  ];
}

function tokenLines({ token, client }: ConnectReport): string[] {
  if (token.state === 'none') return ['  token   none: this server requires none'];
  if (token.state === 'kept') return ['  token   the existing one is valid and was kept'];
  const until = token.expires_at?.slice(0, 10);
  const oldState = token.revoked_old ? 'was revoked' : 'is not known to this server';
  return [
    `  token   a new one for ${client}, scopes ${token.scopes.join(' ')}, until ${until}; id ${token.jti}`,
    ...(token.revoked_old === undefined ? [] : [`  before  the previous token ${oldState}`]),
  ];
}

function describeRemove(client: Client, report: ConnectReport): string[] {
  const { files, notes, token, written } = report;
  const changed = files.filter((file) => file.changed);
  if (changed.length === 0) return [`${client.title} is not connected to Helmdeck.`];
  if (!written)
    return [
      `Helmdeck would be removed from ${changed.map(({ path }) => path).join(' and ')}.`,
      `Nothing was changed. Add --write to do it${token.state === 'held' ? ' and to revoke its token' : ''}.`,
    ];
  return [
    `${client.title} is no longer connected.`,
    ...changed.map(fileLine),
    ...(token.state === 'revoked' ? ['  token   revoked'] : []),
    ...notes.map((note) => `  note    ${note}`),
  ];
}

function fileLine({ path, changed, deleted, backup }: FileReport): string {
  if (!changed) return `  same    ${path}`;
  if (deleted) return `  deleted ${path}, which "connect" had created`;
  return `  wrote   ${path}${backup ? ` (before: ${backup})` : ''}`;
}
