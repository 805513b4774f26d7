import type { McpProfile } from '../commands/mcp-profiles.ts';

/** The options of `helmdeck connect`. */
export interface ConnectOptions {
  write?: boolean;
  remove?: boolean;
  autoRecall?: boolean;
  /** Its token may only propose. */
  propose?: boolean;
  profile: McpProfile;
  ttl?: number;
  /** A one-time code of the Connect page, which is redeemed for the token. */
  code?: string;
  /** The server that made the code. */
  server?: string;
}
