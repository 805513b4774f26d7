import { callApi, callForResponse } from './call-api.ts';

/** The part of JSON Schema that the server describes inputs and outputs with. */
export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Metadata {
  accepts?: string[];
  produces?: string[];
  intent_keywords?: string[];
  typical_use?: string;
  limitations?: string[];
  supersedes?: string[];
}

export interface Pack {
  name: string;
  description: string;
  versions: string[];
  latest: string;
  version: string;
  metadata: Metadata;
  input_schema: Schema;
  output_schema: Schema;
  async: boolean;
  allowed: boolean;
}

export interface Artifact {
  artifact_key: string;
  filename: string;
  content_type: string;
  kind?: string;
  size: number;
  created_at: string;
  expires_at: string;
}

export type CacheStatus = 'hit' | 'miss' | 'stale' | 'bypass';

export interface RunAnswer {
  pack: string;
  version: string;
  output: unknown;
  artifacts?: Artifact[];
  duration_ms: number;
  session_id?: string;
  cache?: { status: CacheStatus; age_s: number };
}

export interface Job {
  job_id: string;
  pack: string;
  version: string;
  status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  progress?: { percent: number; message?: string };
  result?: RunAnswer;
  error?: { error: string; message: string; reason?: string; hint?: string; request_id?: string };
  created_at: string;
  ended_at?: string;
}

export interface RunWish {
  pack: string;
  version?: string;
  input: unknown;
  noCache?: boolean;
  /** Going away stops the run on the server too. */
  signal?: AbortSignal;
}

const address = (name: string, version?: string) =>
  `/packs/${encodeURIComponent(name)}${version === undefined ? '' : `/${encodeURIComponent(version)}`}`;

export const listPacks = (signal?: AbortSignal) => callApi<Pack[]>('/packs', { signal });

export const readPack = (name: string, version: string | undefined, signal?: AbortSignal) =>
  callApi<Pack>(address(name, version), { signal });

/** The result, or the job of a pack that runs as one. */
export async function runPack({ pack, version, input, noCache, signal }: RunWish) {
  const response = await callForResponse(address(pack, version), {
    method: 'POST',
    body: input,
    headers: noCache ? { 'cache-control': 'no-cache' } : {},
    signal,
  });
  const body: unknown = await response.json();
  return response.status === 202 ? { job: body as Job } : { answer: body as RunAnswer };
}

export const listJobs = (signal?: AbortSignal) => callApi<{ jobs: Job[] }>('/jobs', { signal });

export const readJob = (id: string, signal?: AbortSignal) =>
  callApi<Job>(`/jobs/${encodeURIComponent(id)}`, { signal });

export const cancelJob = (id: string) =>
  callApi<Job>(`/jobs/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** The bytes of an artifact, by the one way there is to them: its pack. */
export async function readArtifact({ artifact_key, content_type }: Artifact): Promise<Blob> {
  const input = { artifact_key, encoding: 'base64' };
  const { answer } = await runPack({ pack: 'artifact.get', input });
  const { content } = answer!.output as { content: string };
  const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  return new Blob([bytes], { type: content_type });
}

export interface RouteAnswer {
  recommendation: {
    kind: 'pipeline' | 'pack' | 'none';
    id: string;
    suggested_inputs?: Record<string, unknown>;
    why?: string;
  };
  alternatives: { kind: 'pipeline' | 'pack'; id: string; why?: string }[];
  gap_warning?: {
    missing_capability: string;
    proposed_pack: {
      name: string;
      input_schema: Schema;
      output_schema: Schema;
      integration_pattern: string;
      why_useful: string;
    };
  };
  reasoning: string;
  model?: string;
}

export async function askRoute(intent: string, signal?: AbortSignal): Promise<RouteAnswer> {
  const { answer } = await runPack({ pack: 'helmdeck.route', input: { user_intent: intent }, signal });
  return answer!.output as RouteAnswer;
}
