import type { McpProfile } from '../commands/mcp-profiles.ts';
import type { Launch, Machine } from '../deps.ts';

/** What a program is to be given. */
export interface Wanted {
  serverUrl: string;
  /** Of the MCP server in it. */
  address: string;
  profile: McpProfile;
  /** Absent where the server asks for none. */
  token?: string;
  /** How to start this very Helmdeck, for programs that start their servers. */
  launch: Launch;
}

/** What a program has been given before. */
export interface Held {
  address: string;
  token?: string;
}

/** A file of a program that is changed here and there, never as a whole. */
export interface ClientFile {
  path(machine: Machine): string;
}

/** Loads what matters at the start of a conversation, so that the model need not think of it. */
export interface RecallRecipe extends ClientFile {
  /** Whether the program could use it, by what its file says now; it can where this is left out. */
  fits?(text: string): boolean;
  installed(text: string, machine: Machine): string;
  removed(text: string): string;
}

/** A program that speaks MCP, and where it keeps which servers it uses. */
export interface Client extends ClientFile {
  name: string;
  title: string;
  /** It starts a program instead of calling an address. */
  startsServers?: boolean;
  connected(text: string, wanted: Wanted): string;
  disconnected(text: string): string;
  held(text: string): Held | undefined;
  recall: readonly RecallRecipe[];
  /** What to do instead, where nothing can be installed. */
  insteadOfRecall?: string;
  /** What the person does next. */
  next: string;
}

export const SERVER_NAME = 'helmdeck';
