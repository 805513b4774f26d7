import type { Caller } from '../memory/namespace.ts';

/** The caller's own credentials, as a handler sees them. */
export interface PackVault {
  /** The value; `credential_invalid` when the caller keeps none under this name, `vault_unavailable` without a vault. */
  read(name: string): Promise<string>;
  write(name: string, value: string): Promise<void>;
}

/** What is known of an artifact without reading it. */
export interface ArtifactInfo {
  artifact_key: string;
  filename: string;
  content_type: string;
  kind?: string;
  size: number;
  created_at: string;
  expires_at: string;
}

export interface NewArtifact {
  content: Uint8Array;
  filename?: string;
  contentType?: string;
  kind?: string;
}

/** The caller's own files, as a handler sees them. */
export interface PackArtifacts {
  put(artifact: NewArtifact): Promise<ArtifactInfo>;
  /** `not_found` for an artifact of somebody else too. */
  get(artifactKey: string): Promise<{ info: ArtifactInfo; content: Uint8Array }>;
  list(page: { filename?: string; limit: number; cursor?: string }): Promise<{
    artifacts: ArtifactInfo[];
    next_cursor?: string;
  }>;
  /** Says whether there was one. */
  delete(artifactKey: string): Promise<boolean>;
}

export interface PackFetchInit {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** What is longer is cut, and `truncated` says so. */
  maxBytes?: number;
  timeoutMs?: number;
}

export interface PackFetchAnswer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
  truncated: boolean;
}

/** The way out: guarded against addresses inside, with `${vault:NAME}` filled in on the way. */
export type PackFetch = (url: string, init?: PackFetchInit) => Promise<PackFetchAnswer>;

/** What other rooms give the engine; each call is bound to one caller, and nothing of another is in reach. */
export interface PackServices {
  vaultOf(caller: Caller): PackVault;
  artifactsOf(caller: Caller): PackArtifacts;
  /** The scopes decide which secrets of the caller may be sent. */
  fetchOf(caller: Caller, scopes: ReadonlySet<string>): PackFetch;
}
