import { type AppError, toAppError } from '../../errors.ts';
import { findingsIn } from '../history/findings.ts';
import { learnInputs } from '../history/learn-inputs.ts';
import { recordedError } from '../history/recorded-error.ts';
import type { PackRecord, RunHistory } from '../history/run-history.ts';
import { inputTexts, outputTexts, type TracedValues } from '../history/value-trace.ts';
import type { Interceptor, Outcome, Run } from '../run.ts';

/** Adds one record per run that started, whether it succeeded or failed; the response does not wait for the write. */
export function createAudit(history: RunHistory | undefined, now: () => number): Interceptor {
  if (!history) return (run, next) => next(run);
  const add = (run: Run, startMs: number, result?: Outcome, failure?: AppError) => {
    const learned = learnInputs(run.input);
    const findings = findingsIn(run.trail.returned ?? result?.output);
    const status = result?.cache?.status;
    const error = failure && recordedError(failure);
    const record: PackRecord = {
      pack: run.pack.name,
      version: run.pack.version,
      outcome: failure?.code ?? 'ok',
      at_unix: Math.floor(now() / 1000),
      duration_ms: Math.round(performance.now() - startMs),
      ...(learned && { learn_inputs: learned }),
      ...(findings && { findings }),
      ...(status === 'hit' || status === 'stale' ? { cached: true } : {}),
      ...(error && { error }),
    };
    history.addPack(run.caller, record, result && valuesOf(run, result));
  };
  return async (run, next) => {
    if (!run.pack.audited) return next(run);
    const startMs = performance.now();
    try {
      const outcome = await next(run);
      add(run, startMs, outcome);
      return outcome;
    } catch (thrown) {
      if (!run.trail.refused) add(run, startMs, undefined, toAppError(thrown));
      throw thrown;
    }
  };
}

/** Which values the run used, so that sequences of runs are found. Steps of pipelines are in sequence already. */
function valuesOf({ pack, input, session, foreignData }: Run, { output }: Outcome): TracedValues | undefined {
  if (foreignData || pack.scopes.some((scope) => scope.startsWith('vault:'))) return undefined;
  const texts = inputTexts(input);
  return texts && { in: texts, out: outputTexts(output), session };
}
