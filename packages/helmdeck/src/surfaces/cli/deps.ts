import type { Readable, Writable } from 'node:stream';

/** Where a command reads and writes. */
export interface Terminal {
  in: Readable & { isTTY?: boolean };
  out: Writable & { isTTY?: boolean; columns?: number };
  err: Writable & { isTTY?: boolean };
}

/** The one seam between commands and memory: REST, over HTTP or inside this process. */
export interface Connection {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
  /** The server is inside this process: what was started ends with it, so it must be waited for. */
  embedded?: true;
}

/** A command and the arguments that start this very Helmdeck. */
export interface Launch {
  command: string;
  args: string[];
}

/** This machine as the programs on it see it. */
export interface Machine {
  readonly homeDir: string;
  /** Where the command was typed. */
  workDir: string;
  platform: string;
  environment: Readonly<Record<string, string | undefined>>;
  launch: Launch;
}

/** A server and what it is asked with. */
export interface ServerAccess {
  url: string;
  token?: string;
}

export interface Setting {
  name: string;
  value: string;
  from: string;
  about: string;
}

/** What one look of the doctor found, in plain words. */
export interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it. */
  fix?: string;
}

/** What does not open with the configured key. */
export interface Unreadable {
  /** Nothing opens: the key was lost or replaced. */
  everything: boolean;
  namespaces: number;
  rows: number;
}

export interface BackupReport {
  /** A path or an s3:// address. */
  file: string;
  bytes: number;
  rows: number;
  namespaces: number;
  /** Whether the file as a whole is encrypted, beyond what is in it. */
  sealed: boolean;
  /** Older backups that made room for it. */
  removed?: number;
}

export interface ListedBackup {
  file: string;
  bytes: number;
  at: string;
  /** Tells backups of several databases in one place apart. */
  database: string;
}

export interface RestoreReport {
  /** Where the backup came from. */
  source: string;
  database: string;
  rows: number;
  namespaces: number;
  /** Where the database that was there before is now. */
  kept_aside: string | null;
  /** Whether the configured key was seen to open it; false only with --force. */
  key_fits: boolean;
}

export interface MigrationReport {
  /** Both addresses, without credentials. */
  from: string;
  to: string;
  rows: number;
  namespaces: number;
  sha256: string;
  /** `resumed` after an interruption, `unchanged` when the copy was whole already. */
  outcome: 'copied' | 'resumed' | 'unchanged';
}

export interface InitReport {
  file: string;
  created: string[];
  kept: string[];
}

/** How one example of a pack went; example 0 stands for the whole pack or file. */
export interface PackTest {
  pack: string;
  example: number;
  problem?: string;
}

/** Told how far a long piece of work has come; `of` is absent while nobody knows. */
export type OnProgress = (done: number, of?: number) => void;

/** What the commands are built on; handed in by the composition root. */
export interface CliDeps {
  terminal: Terminal;
  version: string;
  now: () => number;
  /** All scopes a token can have, and the ones it gets when nobody says. */
  scopes: readonly string[];
  defaultScopes: readonly string[];
  machine: Machine;
  /** `quiet`: nothing but results and errors may be printed; `forAgent`: for hours, with what an agent may do; `to`: this server and no other. */
  connect(options: { quiet: boolean; forAgent?: boolean; to?: ServerAccess }): Promise<Connection>;
  /** Where the server is that commands talk to; nothing when none is named and none runs here. */
  findServer(): Promise<string | undefined>;
  /** Runs work that Ctrl-C may cut short; `undo` then leaves no half-made files and no open database. */
  onInterrupt(undo: () => unknown): () => void;
  serve(options: { init: boolean; json: boolean; watchPacks: boolean }): Promise<void>;
  init(options: { force: boolean }): Promise<InitReport>;
  settings(): { settings: Setting[]; warnings: string[] };
  doctor(): Promise<Check[]>;
  findUnreadable(onProgress: OnProgress): Promise<Unreadable>;
  purgeUnreadable(onProgress: OnProgress): Promise<Unreadable>;
  /** Without a target: to the configured place. */
  backup(target: string | undefined, onProgress: OnProgress): Promise<BackupReport>;
  /** Without `from`: the configured database. */
  migrate(addresses: { from?: string; to: string }, onProgress: OnProgress): Promise<MigrationReport>;
  newPack(name: string): Promise<{ file: string }>;
  testPacks(only: string | undefined): Promise<PackTest[]>;
  /** At the configured place, or at this one; newest first. */
  listBackups(place: string | undefined): Promise<ListedBackup[]>;
  /** From a file, an s3:// address, or `latest` of the configured place. */
  restore(source: string, options: { force: boolean }): Promise<RestoreReport>;
}
