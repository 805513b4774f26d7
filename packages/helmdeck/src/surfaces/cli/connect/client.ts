import type { McpProfile } from '../commands/mcp-profiles.ts';
import type { Launch, Machine } from '../deps.ts';

/** The connection that a client shall have. */
export interface DesiredConnection {
  serverUrl: string;
  /** Of the MCP endpoint. */
  address: string;
  profile: McpProfile;
  /** Absent if the server requires none. */
  token?: string;
  /** How to start Helmdeck, for clients that start their servers. */
  launch: Launch;
}

/** The connection that a client has now, according to its configuration file. */
export interface CurrentConnection {
  address: string;
  token?: string;
}

/** A configuration file of a client. Edits change only Helmdeck's part of it. */
export interface ClientFile {
  path(machine: Machine): string;
}

export interface RecipeOptions {
  /** Capture may ask the agent what to store. */
  ask?: boolean;
  /** The memories that recall reads, as `spaces` of a search names them; absent: one's own. */
  spaces?: string;
}

/** Makes a client recall or capture by itself, so that the model need not think of it. */
export interface Recipe extends ClientFile {
  /** Whether the client can use it, judging by the current text of the file; absent: always. */
  isApplicable?(text: string): boolean;
  install(text: string, machine: Machine, options?: RecipeOptions): string;
  /** Whether the file has it. */
  isInstalled(text: string): boolean;
  /** It only tells the model to call the tools. */
  isInstruction?: true;
  /** `original` is the text from before Helmdeck: empty objects that it has stay. */
  remove(text: string, original: string): string;
}

/** An MCP client, and how to edit the list of servers in its configuration file. */
export interface Client extends ClientFile {
  name: string;
  title: string;
  /** It starts a server process instead of connecting to an address. */
  startsServers?: boolean;
  /** The text of the file with this connection. */
  connect(text: string, desired: DesiredConnection): string;
  /** The text of the file without a connection to Helmdeck; `original` as in `Recipe`. */
  disconnect(text: string, original: string): string;
  current(text: string): CurrentConnection | undefined;
  /** What adds facts to the conversation. */
  recall: readonly Recipe[];
  /** What sends the conversation to the server, which proposes facts from it. */
  capture?: readonly Recipe[];
  /** What the user can do instead if no recipe applies. */
  recallAlternative?: string;
  /** What the user has to do next. */
  next: string;
}

export const SERVER_NAME = 'helmdeck';
