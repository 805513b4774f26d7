export type { PackMetadata } from './engine/metadata.ts';
export {
  type CachePolicy,
  type CapturePolicy,
  definePack,
  type MemoryPolicy,
  type Pack,
  type PackContext,
  type PackDefinition,
  type PackExample,
} from './engine/pack.ts';
export type { PackMemory, PackMemoryEntry } from './engine/pack-memory.ts';
export type {
  PackFetch,
  PackFetchAnswer,
  PackFetchInit,
  PackVault,
} from './engine/pack-services.ts';
export type { Interceptor, Next, Outcome, Run } from './engine/run.ts';
export { AppError, ERRORS, type ErrorCode, type ErrorEnvelope } from './errors.ts';
export type { ArtifactInfo, Artifacts } from './memory/artifact.ts';
export { FACT_POLICY, type ValidFact, validateFact } from './memory/facts.ts';
export { parseScope, type Scope } from './memory/forget.ts';
export { type Receipt, receiptProblem } from './memory/receipts.ts';
export { detectSecret } from './memory/secrets.ts';
export type { Store } from './memory/store.ts';
export { buildServer, type Server } from './server/build.ts';
export { type Config, loadConfig } from './server/config.ts';
export { ConfigError } from './server/config-values.ts';
export { type Listening, listen } from './server/listen.ts';
