import { createHash } from 'node:crypto';
import { toAppError } from '../../errors.ts';
import { detectCredentialInSteps } from '../../memory/credential-detector/detect-in-steps.ts';
import { storeNote } from '../../memory/facts/notes.ts';
import type { FactRules } from '../../memory/facts/validate-fact.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { PackLogger } from '../pack/pack.ts';
import type { Interceptor } from '../run.ts';

/** Stores the result of a pack with a capture policy as a note; a later run with the same input replaces it. */
export function createCapture(rules: FactRules, log: PackLogger): Interceptor {
  return async (run, next) => {
    const outcome = await next(run);
    const { capture } = run.pack.memory;
    if (!capture || !run.memory || run.trail.namedSpace) return outcome;
    const value = JSON.stringify(outcome.output);
    // Regardless of the secret guard for facts: the caller did not ask for this note.
    const refused = (await detectCredentialInSteps(value)) ? 'secret_detected' : undefined;
    const digest = createHash('sha256').update(canonicalJson(run.input)).digest('hex').slice(0, 16);
    const note = {
      key: `${capture.prefix.replace(/\/+$/, '')}/${digest}`,
      value,
      options: { ttlSeconds: capture.ttlSeconds, category: run.pack.name, tags: ['captured'] },
    };
    const problem =
      refused ??
      (await storeNote(run.memory, rules, note, run.session).then(
        () => undefined,
        (thrown: unknown) => toAppError(thrown).code,
      ));
    if (problem) log.warn({ pack: run.pack.name, reason: problem }, 'a result was not captured');
    return outcome;
  };
}
