export { AppError, ERRORS, type ErrorCode, type ErrorEnvelope } from './errors.ts';
export { FACT_POLICY, type ValidFact, validateFact } from './memory/facts.ts';
export { parseScope, type Scope } from './memory/forget.ts';
export { type Receipt, receiptProblem } from './memory/receipts.ts';
export { detectSecret } from './memory/secrets.ts';
export type { Store } from './memory/store.ts';
export { buildServer, type Server } from './server/build.ts';
export { type Config, ConfigError, loadConfig } from './server/config.ts';
export { type Listening, listen } from './server/listen.ts';
