import type { Artifacts } from '../../memory/artifact.ts';
import type { Caller } from '../../memory/namespace.ts';

/** The caller's own credentials, as a handler sees them. */
export interface PackVault {
  /** The value; `credential_invalid` when the caller keeps none under this name, `vault_unavailable` without a vault. */
  read(name: string): Promise<string>;
  write(name: string, value: string): Promise<void>;
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
  artifactsOf(caller: Caller): Artifacts;
  /** The scopes decide which secrets of the caller may be sent. */
  fetchOf(caller: Caller, scopes: ReadonlySet<string>): PackFetch;
}
