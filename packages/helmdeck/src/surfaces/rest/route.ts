import type { Context } from 'hono';
import type { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import type { RunRecordMove } from '../../engine/history/move-run-records.ts';
import type { RunHistory } from '../../engine/history/run-history.ts';
import type { Jobs } from '../../engine/jobs.ts';
import type { PipelineRuns } from '../../engine/pipeline/pipeline-runs.ts';
import type { Pipelines } from '../../engine/pipeline/pipelines.ts';
import type { AccessAudit } from '../../memory/access-audit.ts';
import type { ReceiptSigner } from '../../memory/erase/receipts.ts';
import type { Adviser } from '../../memory/facts/remember.ts';
import type { FactRules } from '../../memory/facts/validate-fact.ts';
import type { Memory, MemoryParts } from '../../memory/memory.ts';
import type { TokenRegistry } from '../../memory/token-registry.ts';
import type { Recall } from '../../recall/recall.ts';
import type { Auth, Identity, Scope } from '../http/auth.ts';
import type { LoginGuard } from '../http/login-guard.ts';

/** Everything that exists only while memory is on. */
export interface OpenMemory {
  parts: MemoryParts;
  audit: AccessAudit;
  tokens: TokenRegistry;
  signer: ReceiptSigner;
  recall: Recall;
  adviser: Adviser;
  history: RunHistory;
  runMove: RunRecordMove;
}

/** What the routes are built on; handed in by the composition root. */
export interface RestServices {
  /** Throws `memory_unavailable` while memory is off. */
  memory(): OpenMemory;
  /** The same, or nothing while memory is off. */
  memoryIfOn(): OpenMemory | undefined;
  engine: Engine;
  jobs: Jobs;
  pipelines: Pipelines;
  /** Throws `memory_unavailable` while memory is off. */
  pipelineRuns(): PipelineRuns;
  auth: Auth;
  authDisabled: boolean;
  login: LoginGuard;
  adminUsername: string;
  rules: FactRules;
  /** Stamped into `source.surface`. */
  surface: string;
  version: string;
  loopback: boolean;
  metricsToken?: string;
  now: () => number;
  readiness(): Promise<Readiness>;
  metrics: RestMetrics;
  log: RestLog;
  /** Aborted on shutdown, so that open streams end. */
  closing: AbortSignal;
}

export interface Readiness {
  ready: boolean;
  memory: { state: 'on' | 'off' | 'disabled'; reason?: string; message?: string; hint?: string };
}

export interface RestMetrics {
  observe(route: string, method: string, status: number, seconds: number): void;
  render(): Promise<{ contentType: string; text: string }>;
}

/** Fields must never hold a value, a key, a path, a subject or a token. */
export interface RestLog {
  /** Whether lines of this level are written at all. */
  isEnabled(level: 'debug' | 'info'): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a handler is given. */
export interface Call {
  c: Context;
  services: RestServices;
  identity: Identity;
  requestId: string;
  /** Headers of the answer. A plain object: building and reading `Headers` costs more than reading a fact. */
  headers: Record<string, string>;
  /** A header of the request. */
  header(name: string): string | undefined;
  /** The memory this call is about: the caller's own, or for an admin the one named by `?caller=`. */
  memory(): Promise<Memory>;
  query(name: string): string | undefined;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As documented: `/api/v1/memory/facts/{key}`. */
  path: string;
  tag: string;
  summary: string;
  /** `public`: no token; `any`: any token. */
  scope: Scope | 'public' | 'any';
  /** Admins may look at another caller's memory with `?caller=`. */
  takesCaller?: boolean;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Media type of the body, where it is not JSON. */
  bodyType?: string;
  response?: z.ZodType;
  /** Of an answer that went well; 200 where it says nothing. */
  status?: number;
  responseType?: string;
  /** What to answer as JSON, or a whole `Response` made with `call.headers`. */
  handler(call: Call): Promise<unknown>;
}
