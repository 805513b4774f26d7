import type { Context } from 'hono';
import type { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import type { RunRecordMove } from '../../engine/history/move-run-records.ts';
import type { RunHistory } from '../../engine/history/run-history.ts';
import type { Jobs } from '../../engine/jobs.ts';
import type { PipelineRuns } from '../../engine/pipeline/pipeline-runs.ts';
import type { Pipelines } from '../../engine/pipeline/pipelines.ts';
import type { Procedures } from '../../engine/procedures/procedures.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Accounts } from '../../identity/accounts.ts';
import type { OidcSignIn } from '../../identity/oidc-client.ts';
import type { AccessAudit } from '../../memory/access-audit.ts';
import type { ReceiptSigner } from '../../memory/erase/receipts.ts';
import type { Adviser } from '../../memory/facts/store-answer.ts';
import type { FactRules } from '../../memory/facts/validate-fact.ts';
import type { TalkLimit } from '../../memory/harvest/talk-limit.ts';
import type { Memory, MemoryParts } from '../../memory/memory.ts';
import type { Caller } from '../../memory/namespace.ts';
import type { Spaces } from '../../memory/spaces/spaces.ts';
import type { TokenRegistry } from '../../memory/token-registry.ts';
import type { ToldNotes } from '../../recall/prompt/told-notes.ts';
import type { Recall } from '../../recall/recall.ts';
import type { RecallLog } from '../../recall/recall-log.ts';
import type { HttpRoute } from '../http/app.ts';
import type { AttemptGuard } from '../http/attempt-guard.ts';
import type { Identity, Scope } from '../http/auth.ts';
import type { LoginGuard } from '../http/login-guard.ts';
import type { HttpLog, HttpServices } from '../http/request-context.ts';
import type { AuthorizationServer } from './oauth/oauth-server.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';
import type { Tag } from './openapi/tags.ts';

/** Everything that exists only while memory is on. */
export interface OpenMemory {
  parts: MemoryParts;
  audit: AccessAudit;
  tokens: TokenRegistry;
  accounts: Accounts;
  spaces: Spaces;
  signer: ReceiptSigner;
  recall: Recall;
  adviser: Adviser;
  history: RunHistory;
  recallLog: RecallLog;
  toldNotes: ToldNotes;
  /** Limits what harvests propose. */
  talkLimit: TalkLimit;
  runMove: RunRecordMove;
}

/** What the routes depend on; passed in by the composition root. */
export interface RestServices extends HttpServices {
  /** Throws `memory_unavailable` while memory is off. */
  memory(): OpenMemory;
  /** Undefined while memory is off. */
  memoryIfOn(): OpenMemory | undefined;
  engine: Engine;
  jobs: Jobs;
  pipelines: Pipelines;
  procedures: Procedures;
  /** Throws `memory_unavailable` while memory is off. */
  pipelineRuns(): PipelineRuns;
  login: LoginGuard;
  /** Sign-in with an identity provider; absent if none is configured. */
  oidc?: OidcSignIn;
  /** Limits guessing of connect codes. */
  codeAttempts: AttemptGuard;
  /** What OAuth clients are told about the MCP URLs; absent without HELMDECK_PUBLIC_URL. */
  protectedResources?: ProtectedResources;
  /** Absent if this server issues no tokens to applications. */
  oauth?: AuthorizationServer;
  adminUsername: string;
  /** The caller that an admin of this tenant names: by its subject, or `<issuer>#<subject>` for an identity provider's. */
  callerNamed(name: string, tenant: string | undefined): Caller;
  rules: FactRules;
  /** Stamped into `source.surface`. */
  surface: string;
  version: string;
  metricsToken?: string;
  readiness(): Promise<Readiness>;
  /** Throws `memory_unavailable` while memory is off. */
  clock(): ClockTrust;
  /** Throws `memory_unavailable` while memory is off. */
  backups(): BackupStatus;
  metrics: RestMetrics;
  log: RestLog;
  /** Aborted when the server begins to drain: open streams end. */
  closing: AbortSignal;
}

/** The MCP URLs of this server, and who issues tokens for them. */
export interface ProtectedResources {
  /** The public URL of this server. */
  origin: string;
  /** This server, or the identity provider of HELMDECK_JWKS_URL. */
  issuer: string;
  /** By path; '' is the whole server. */
  scopes: ReadonlyMap<string, readonly Scope[]>;
}

export interface BackupStatus {
  /** Only a database file can be backed up by the server itself. */
  possible: boolean;
  /** Null if there are no scheduled backups. */
  schedule: {
    /** As the operator configured it; never contains credentials. */
    address: string;
    everyMs: number;
    keep: number;
    last: { atMs: number; bytes: number } | null;
    /** When the last attempt failed; null if it did not. */
    failedMs: number | null;
  } | null;
}

/** Whether the clock of the server may decide what is deleted as expired. */
export interface ClockTrust {
  /** Call it regularly: it compares the clock with a monotonic one. */
  isTrusted(): Promise<boolean>;
  /** An operator says that the clock is right. */
  confirm(): Promise<void>;
}

export interface Readiness {
  ready: boolean;
  /** The server is closing: it answers what it receives, but should receive no more. */
  reason?: 'draining';
  memory: { state: 'on' | 'off' | 'disabled'; reason?: string; message?: string; hint?: string };
}

export type RestMetrics = HttpServices['metrics'] & {
  render(): Promise<{ contentType: string; text: string }>;
};

export interface RestLog extends HttpLog {
  warn(fields: object, message: string): void;
}

/** One request, as a handler sees it. */
export interface Call {
  c: Context;
  services: RestServices;
  identity: Identity;
  requestId: string;
  /** Headers of the response. A plain object: building and reading `Headers` costs more than reading a fact. */
  headers: Record<string, string>;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /** The memory this call works on: the caller's own, that of `?space=` or, for an admin, that of `?caller=`. */
  memory(): Promise<Memory>;
  /** Whether the token, or the grant in the space that the call works on, has ended since: streams outlive that check. */
  hasEnded(): boolean;
  query(name: string): string | undefined;
  /** The route's pattern, for the audit. */
  readonly route: string;
}

/** A route that the OpenAPI document does not describe. */
export interface UndocumentedRoute extends Pick<HttpRoute, 'path' | 'scope' | 'status' | 'anyHost'> {
  method: Exclude<HttpRoute['method'], 'ALL'>;
  /** Admins may read another caller's memory with `?caller=`. */
  takesCaller?: boolean;
  /** It works on a space that `?space=` names, for those whose role there fits the scope that the route needs. */
  takesSpace?: boolean;
  /** It searches several memories that `?spaces=` lists. */
  takesSpaces?: boolean;
  /** Returns the body of a JSON response, or a whole `Response` made with `call.headers`. */
  handler(call: Call): Promise<unknown>;
}

/** A REST route: how to serve it and what the OpenAPI document says about it. */
export interface Route extends UndocumentedRoute {
  /** The name of the function in generated clients: unique, and kept when the path changes. */
  operationId: string;
  tag: Tag;
  summary: string;
  query?: z.ZodObject;
  requestHeaders?: readonly RequestHeader[];
  body?: z.ZodType;
  /** Media type of the body, if not JSON. */
  bodyType?: string;
  response?: z.ZodType;
  /** The data of each event, where the response is a stream of server-sent events. */
  event?: z.ZodType;
  responseType?: string;
  /** Headers of the response besides those that every response has. */
  responseHeaders?: readonly ResponseHeader[];
  /** A response with another status that is not an error envelope. */
  otherResponse?: { status: number; schema: z.ZodType; headers?: readonly ResponseHeader[] };
  /** It responds while memory is off, and does not touch the store. */
  worksWithoutMemory?: boolean;
  /** The errors of this route besides those that `errorCodesOf` derives from the other fields. */
  errors?: readonly ErrorCode[];
}
