import type { McpProfile } from '../commands/mcp-profiles.ts';

/** What was asked for. */
export interface ConnectOptions {
  write?: boolean;
  remove?: boolean;
  autoRecall?: boolean;
  profile: McpProfile;
  ttl?: number;
}
