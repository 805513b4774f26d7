import type { Readable, Writable } from 'node:stream';

/** The standard streams of a command. */
export interface Terminal {
  in: Readable & { isTTY?: boolean };
  out: Writable & { isTTY?: boolean; columns?: number };
  err: Writable & { isTTY?: boolean };
}

/** What names the server of a command: a variable, an earlier `login`, the argument of this `login`, or a connected program. */
export type AddressSource = 'HELMDECK_URL' | 'login' | 'argument' | 'client';

/** How commands reach the server: REST, over HTTP or in this process. */
export interface Connection {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
  /** Absent for the server of this machine. */
  addressFrom?: AddressSource;
  /** The server is in this process: work that a command starts ends with the command, so it must wait for it. */
  embedded?: true;
}

/** The command and arguments that start this installation of Helmdeck. */
export interface Launch {
  command: string;
  args: string[];
  /** It may be gone later, so other programs must not be told to start it. */
  isTemporary?: true;
}

/** The environment that the configuration files of other programs depend on. */
export interface Machine {
  readonly homeDir: string;
  /** For state of this user; undefined if there is no place for it. */
  stateDir: string | undefined;
  /** The current directory of the command. */
  workDir: string;
  platform: string;
  environment: Readonly<Record<string, string | undefined>>;
  launch: Launch;
}

/** A server and its token. */
export interface ServerAccess {
  url: string;
  token?: string;
  addressFrom: AddressSource;
}

export interface Setting {
  name: string;
  value: string;
  from: string;
  about: string;
}

/** The result of one check of the doctor. */
export interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it. */
  fix?: string;
}

/** The rows and namespaces that the configured key cannot decrypt. */
export interface OrphanedRows {
  /** Nothing can be decrypted: the key was lost or replaced. */
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
  /** Whether the file as a whole is encrypted, in addition to the rows in it. */
  sealed: boolean;
  /** The number of older backups that were deleted. */
  removed?: number;
}

export interface ListedBackup {
  file: string;
  bytes: number;
  at: string;
  /** Distinguishes the backups of several databases in one place. */
  database: string;
}

export interface RestoreReport {
  /** Where the backup came from. */
  source: string;
  database: string;
  rows: number;
  namespaces: number;
  /** The path of the previous database, if there was one. */
  kept_aside: string | null;
  /** Whether the configured key opens it; false only with --force. */
  key_fits: boolean;
}

export interface MigrationReport {
  /** Both addresses, without credentials. */
  from: string;
  to: string;
  rows: number;
  namespaces: number;
  sha256: string;
  /** `resumed` after an interruption, `unchanged` if the copy was already complete. */
  outcome: 'copied' | 'resumed' | 'unchanged';
}

export interface InitReport {
  file: string;
  created: string[];
  kept: string[];
  /** Id of the memory key; null if the key is malformed. */
  key_id: string | null;
}

export interface KeyRotationReport {
  /** The secrets file that was changed. */
  file: string;
  key_id: string;
  /** The keys that were replaced, or removed when the rotation is finished. */
  previous_key_ids: string[];
  finished: boolean;
}

/** The file that `pack new` wrote. */
export interface NewPack {
  file: string;
  folder: string;
  /** Whether the server loads packs from the folder, which HELMDECK_PACKS_DIR decides. */
  served: boolean;
}

/** The result of one example of a pack; example 0 stands for the whole pack or file. */
export interface PackTest {
  pack: string;
  example: number;
  problem?: string;
}

/** Reports the progress of a long operation; `of` is absent while the total is unknown. */
export type OnProgress = (done: number, of?: number) => void;

/** What the commands depend on; passed in by the composition root. */
export interface CliDeps {
  terminal: Terminal;
  version: string;
  now: () => number;
  /** All scopes a token can have, and those it gets by default. */
  scopes: readonly string[];
  defaultScopes: readonly string[];
  machine: Machine;
  /**
   * `quiet`: print only results and errors; `forAgent`: a long-lived connection with the scopes of an agent; `to`: this
   * server instead of the configured one.
   */
  connect(options: { quiet: boolean; forAgent?: boolean; to?: ServerAccess }): Promise<Connection>;
  /** The address of the server that commands use; undefined if none is configured and none runs here. */
  findServer(): Promise<string | undefined>;
  /** Runs `undo` on Ctrl-C, so that no partial file and no open database is left; returns how to unregister. */
  onInterrupt(undo: () => unknown): () => void;
  /** `init`: create missing secrets first, and print a token and first steps; `host` and `port` replace those of HELMDECK_ADDR. */
  serve(options: {
    init: boolean;
    json: boolean;
    watchPacks: boolean;
    /** Begin a new memory although an earlier database is gone. */
    newMemory?: boolean;
    host?: string;
    port?: number;
  }): Promise<void>;
  /** Saves the server and token that commands use from now on; returns the path of the file. */
  saveLogin(access: { url: string; token: string }): string;
  savedLogin(): ServerAccess | undefined;
  deleteLogin(): void;
  init(options: { force: boolean }): Promise<InitReport>;
  /** Replaces the memory key in the secrets file; `finish` removes the previous one. */
  rotateKey(options: { finish: boolean }): Promise<KeyRotationReport>;
  settings(): { settings: Setting[]; warnings: string[] };
  /** Every environment variable and what it is for, also while one of them is invalid. */
  variables(): { name: string; about: string }[];
  /** `publicly`: what applications meet that connect over the public URL. */
  doctor(options: { publicly: boolean }): Promise<Check[]>;
  findOrphanedRows(onProgress: OnProgress): Promise<OrphanedRows>;
  purgeOrphanedRows(onProgress: OnProgress): Promise<OrphanedRows>;
  /** Without a target: to HELMDECK_BACKUP_URL. */
  backup(target: string | undefined, onProgress: OnProgress): Promise<BackupReport>;
  /** An address that is missing is that of the configured database. */
  migrate(addresses: { from?: string; to?: string }, onProgress: OnProgress): Promise<MigrationReport>;
  newPack(name: string): Promise<NewPack>;
  testPacks(only: string | undefined): Promise<PackTest[]>;
  /** In HELMDECK_BACKUP_URL, or in `place`; newest first. */
  listBackups(place: string | undefined): Promise<ListedBackup[]>;
  /** From a file, an s3:// address, or `latest` of HELMDECK_BACKUP_URL. */
  restore(source: string, options: { force: boolean }): Promise<RestoreReport>;
}
