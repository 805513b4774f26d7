export type { PackMetadata } from './engine/pack/metadata.ts';
export {
  type CachePolicy,
  type CapturePolicy,
  definePack,
  type MemoryPolicy,
  type Pack,
  type PackContext,
  type PackDefinition,
  type PackExample,
} from './engine/pack/pack.ts';
export type { PackMemory, PackMemoryEntry, PackSpace } from './engine/pack/pack-memory.ts';
export type {
  PackFetch,
  PackFetchAnswer,
  PackFetchInit,
  PackVault,
} from './engine/pack/pack-services.ts';
export type { Interceptor, Next, Outcome, Run } from './engine/run.ts';
export { AppError, ERRORS, type ErrorCode, type ErrorEnvelope } from './errors.ts';
export type { ArtifactInfo, Artifacts } from './memory/artifact.ts';
export { detectCredential } from './memory/credential-detector/credential-detector.ts';
export { parseScope, type Scope } from './memory/erase/forget.ts';
export { type Receipt, receiptProblem } from './memory/erase/receipts.ts';
export { FACT_POLICY, type ValidFact, validateFact } from './memory/facts/validate-fact.ts';
export type { Store } from './memory/store.ts';
export { buildServer, type Server } from './server/build.ts';
export { type Config, loadConfig } from './server/config/config.ts';
export { ConfigError } from './server/config/config-values.ts';
export { type Listening, listen } from './server/http/listen.ts';
