import type { Artifacts } from '../../memory/artifact.ts';
import type { Caller } from '../../memory/namespace.ts';

/** The caller's own credentials, as a handler sees them. */
export interface PackVault {
  /** The value; `credential_invalid` if the caller has no such secret, `vault_unavailable` without a vault. */
  read(name: string): Promise<string>;
  write(name: string, value: string): Promise<void>;
}

export interface PackFetchInit {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** A longer body is cut, and `truncated` is set. */
  maxBytes?: number;
  timeoutMs?: number;
}

export interface PackFetchAnswer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
  truncated: boolean;
}

/** Outgoing HTTP: refuses internal addresses and fills in `${vault:NAME}`. */
export type PackFetch = (url: string, init?: PackFetchInit) => Promise<PackFetchAnswer>;

/** Vault, artifacts and outgoing HTTP for packs. Each is bound to one caller and cannot reach another's data. */
export interface PackServices {
  vaultOf(caller: Caller): PackVault;
  artifactsOf(caller: Caller): Artifacts;
  /** The scopes decide which secrets of the caller may be sent. */
  /** In `foreignData`, values in the input that are outputs of other runs, no vault placeholder is filled in. */
  fetchOf(caller: Caller, scopes: ReadonlySet<string>, foreignData?: readonly unknown[]): PackFetch;
}
