import type { McpProfile } from '../commands/mcp-profiles.ts';

/** The options of `helmdeck connect`. */
export interface ConnectOptions {
  write?: boolean;
  remove?: boolean;
  autoRecall?: boolean;
  profile: McpProfile;
  ttl?: number;
}
