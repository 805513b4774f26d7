import type { Server } from '@modelcontextprotocol/server';
import type { Engine } from '../../engine/engine.ts';
import type { Jobs } from '../../engine/jobs.ts';
import type { Pipelines } from '../../engine/pipeline/pipelines.ts';
import type { AccessAudit } from '../../memory/access-audit.ts';
import type { Adviser } from '../../memory/facts/store-answer.ts';
import type { FactRules } from '../../memory/facts/validate-fact.ts';
import type { MemoryParts } from '../../memory/memory.ts';
import type { Spaces } from '../../memory/spaces/spaces.ts';
import type { TokenRegistry } from '../../memory/token-registry.ts';
import type { Recall } from '../../recall/recall.ts';
import type { Identity, Scope } from '../http/auth.ts';
import type { HttpServices } from '../http/request-context.ts';

/** What this surface needs of an open memory. */
export interface McpMemory {
  parts: MemoryParts;
  spaces: Spaces;
  recall: Recall;
  adviser: Adviser;
  audit: AccessAudit;
  tokens: TokenRegistry;
}

/** What the surface depends on; passed in by the composition root. */
export interface McpServices extends HttpServices {
  /** Throws `memory_unavailable` while memory is off. */
  memory(): McpMemory;
  memoryIfOn(): McpMemory | undefined;
  engine: Engine;
  jobs: Jobs;
  pipelines: Pipelines;
  rules: FactRules;
  version: string;
  /** Aborted when the server begins to drain: open streams end. */
  closing: AbortSignal;
  /** Signs session ids; the same on all nodes, and after a restart. */
  sessionKey: Uint8Array;
  /** The public URL, if OAuth clients can get tokens for the MCP URLs. */
  resourceOrigin?: string;
}

export interface ServerOptions {
  identity: Identity;
  /** The server serves a whole session, otherwise one message. */
  lasting: boolean;
  /** Checked before the client of a session is notified of anything: whether its token is still valid. */
  isLive?(): boolean;
}

/** What OAuth clients get tokens for: all paths of one MCP server, and the scopes to ask for at first. */
export interface McpResource {
  paths: readonly string[];
  scopes: readonly Scope[];
}

/** An MCP server and its paths. */
export interface McpEndpoint {
  /** Streamable HTTP, for every protocol version. */
  path: string;
  /** The older HTTP+SSE transport. */
  ssePath?: string;
  /** Where clients of an SSE stream post their messages. */
  messagePath?: string;
  /** The scope that every request needs; the server checks further scopes per method. */
  scope?: Scope;
  resource: McpResource;
  /** Throws while this endpoint is unavailable. */
  assertAvailable?(): void;
  /** Throws `insufficient_scope` for a message that an OAuth client could send again with more scopes. */
  assertScopes?(message: unknown, identity: Identity): void;
  createServer(options: ServerOptions): Server;
}
