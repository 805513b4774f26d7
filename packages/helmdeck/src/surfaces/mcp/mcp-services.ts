import type { Server } from '@modelcontextprotocol/server';
import type { Engine } from '../../engine/engine.ts';
import type { Jobs } from '../../engine/jobs.ts';
import type { Pipelines } from '../../engine/pipeline/pipelines.ts';
import type { MemoryParts } from '../../memory/memory.ts';
import type { TokenRegistry } from '../../memory/token-registry.ts';
import type { Recall } from '../../recall/recall.ts';
import type { Identity, Scope } from '../http/auth.ts';
import type { HttpServices } from '../http/request-context.ts';

/** What this surface needs of memory while it is on. */
export interface McpMemory {
  parts: MemoryParts;
  recall: Recall;
  tokens: TokenRegistry;
}

/** What the surface is built on; handed in by the composition root. */
export interface McpServices extends HttpServices {
  /** Throws `memory_unavailable` while memory is off. */
  memory(): McpMemory;
  memoryIfOn(): McpMemory | undefined;
  engine: Engine;
  jobs: Jobs;
  pipelines: Pipelines;
  version: string;
  /** Aborted on shutdown, so that open streams end. */
  closing: AbortSignal;
}

/** An MCP server at an address. */
export interface McpEndpoint {
  /** Streamable HTTP, both protocol eras. */
  path: string;
  /** The older HTTP+SSE transport. */
  ssePath?: string;
  /** Where messages to an SSE stream go. */
  messagePath?: string;
  /** What a token needs to come in at all; the server itself decides about each act. */
  scope?: Scope;
  /** Throws while this endpoint cannot be served. */
  assertAvailable?(): void;
  /** `lasting`: it serves one connection for as long as it lives, else one message. */
  createServer(options: { identity: Identity; lasting: boolean }): Server;
}
