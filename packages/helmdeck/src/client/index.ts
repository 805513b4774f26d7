import { type ConnectionOptions, createOperationCaller, type OperationCaller } from './call-operation.ts';
import type { PromptNotes, PromptNotesInput } from './generated/rest.ts';
import { type MemoryCalls, memoryCalls } from './memory-calls.ts';
import { type PackCalls, packCalls } from './pack-calls.ts';
import { type SpaceCalls, spaceCalls } from './space-calls.ts';

export type { ConnectionOptions, OperationName } from './call-operation.ts';
export type { FactQuery } from './fact-calls.ts';
export type * from './generated/rest.ts';
export { HelmdeckError } from './helmdeck-error.ts';
export type { MemoryCalls } from './memory-calls.ts';

/** The memory, the spaces and the packs of one caller, who is the bearer of the token. */
export interface Helmdeck extends OperationCaller, MemoryCalls {
  /** What is worth telling a model before this prompt; mostly nothing. */
  promptNotes(prompt: string, options?: Omit<PromptNotesInput, 'prompt'>): Promise<PromptNotes>;
  spaces: SpaceCalls;
  packs: PackCalls;
}

/** A client of the server at `url`. Every method throws a `HelmdeckError` with the server's code, message and hint. */
export function createHelmdeck(connection: ConnectionOptions): Helmdeck {
  const caller = createOperationCaller(connection);
  return {
    ...caller,
    ...memoryCalls(caller),
    promptNotes: (prompt, options = {}) =>
      caller.call('POST /api/v1/memory/prompt-notes', { body: { ...options, prompt } }),
    spaces: spaceCalls(caller),
    packs: packCalls(caller),
  };
}
