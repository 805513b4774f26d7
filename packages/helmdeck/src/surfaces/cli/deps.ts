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
}

/** A command and the arguments that start this very Helmdeck. */
export interface Launch {
  command: string;
  args: string[];
}

/** This machine as the programs on it see it. */
export interface Machine {
  homeDir: string;
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
  file: string;
  bytes: number;
  rows: number;
  namespaces: number;
}

export interface RestoreReport {
  database: string;
  rows: number;
  namespaces: number;
  /** Where the database that was there before is now. */
  kept_aside: string | null;
  /** Whether the configured key was seen to open it; false only with --force. */
  key_fits: boolean;
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
  backup(file: string, onProgress: OnProgress): Promise<BackupReport>;
  newPack(name: string): Promise<{ file: string }>;
  testPacks(only: string | undefined): Promise<PackTest[]>;
  restore(file: string, options: { force: boolean }): Promise<RestoreReport>;
}
