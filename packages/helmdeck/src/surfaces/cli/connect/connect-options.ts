import type { McpProfile } from '../commands/mcp-profiles.ts';

/** The options of `helmdeck connect`. */
export interface ConnectOptions {
  write?: boolean;
  /** Only show what is installed. */
  status?: boolean;
  remove?: boolean;
  autoRecall?: boolean;
  autoCapture?: boolean;
  /** Capture may ask the agent what to store. */
  ask?: boolean;
  /** Spaces that auto-recall reads besides one's own memory; `*`: all of them. */
  space?: string[];
  /** Its token may only propose. */
  propose?: boolean;
  profile: McpProfile;
  ttl?: number;
  /** A one-time code of the Connect page, which is redeemed for the token. */
  code?: string;
  /** The server that made the code. */
  server?: string;
}
