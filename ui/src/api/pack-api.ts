import { callApi } from './call-api.ts';
import type { Artifact, Job, PackResult, PackTypes } from './generated/rest.ts';

// Packs, their runs and jobs, and the packs that the UI itself runs.

export interface PackRequest {
  pack: string;
  version?: string;
  input: Record<string, unknown>;
  noCache?: boolean;
  /** Aborting the request stops the run on the server too. */
  signal?: AbortSignal;
}

export const listPacks = (signal?: AbortSignal) => callApi('GET /api/v1/packs', { signal });

export const readPack = (name: string, version: string | undefined, signal?: AbortSignal) =>
  version === undefined
    ? callApi('GET /api/v1/packs/{name}', { path: { name }, signal })
    : callApi('GET /api/v1/packs/{name}/{version}', { path: { name, version }, signal });

/** Runs a pack and returns its result, or its job if it runs as one. */
export async function runPack(request: PackRequest): Promise<{ job?: Job; result?: PackResult }> {
  const { pack: name, version, input, noCache, signal } = request;
  const options = { body: input, headers: noCache ? { 'cache-control': 'no-cache' } : undefined, signal };
  const response =
    version === undefined
      ? await callApi('POST /api/v1/packs/{name}', { path: { name }, ...options })
      : await callApi('POST /api/v1/packs/{name}/{version}', { path: { name, version }, ...options });
  return 'job_id' in response ? { job: response } : { result: response };
}

/** Runs one of the packs that the UI itself depends on. None of them runs as a job. */
async function runTypedPack<P extends keyof PackTypes>(
  pack: P,
  input: PackTypes[P]['input'],
  signal?: AbortSignal,
): Promise<PackTypes[P]['output']> {
  const { result } = await runPack({ pack, input, signal });
  return result!.output as PackTypes[P]['output'];
}

export const listJobs = (signal?: AbortSignal) => callApi('GET /api/v1/jobs', { signal });

export const readJob = (job: string, signal?: AbortSignal) =>
  callApi('GET /api/v1/jobs/{job}', { path: { job }, signal });

export const cancelJob = (job: string) => callApi('DELETE /api/v1/jobs/{job}', { path: { job } });

/** The bytes of an artifact. Artifacts have no route of their own: a pack reads them. */
export async function readArtifact({ artifact_key, content_type }: Artifact): Promise<Blob> {
  const { content } = await runTypedPack('artifact.get', { artifact_key, encoding: 'base64' });
  const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  return new Blob([bytes], { type: content_type });
}

export type RouteAdvice = PackTypes['helmdeck.route']['output'];

export const askRoute = (intent: string, signal?: AbortSignal): Promise<RouteAdvice> =>
  runTypedPack('helmdeck.route', { user_intent: intent }, signal);
