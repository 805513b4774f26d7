import { AppError, toAppError } from '../../errors.ts';
import { MAX_UNCONFIRMED_FACTS } from '../erase/confirmation.ts';
import { forget } from '../erase/forget.ts';
import type { Memory } from '../memory.ts';
import { patchFact } from './remember.ts';
import { asObject, type FactPatch, type FactRules, validatePatch, validKey } from './validate-fact.ts';

const MAX_CHANGED_FACTS = 500;

/** One change of several facts: new fields for each, or all of them forgotten. */
export interface FactsChange {
  keys: string[];
  patch: FactPatch | 'forget';
}

/** The result of a change; each fact is changed on its own, so some may fail. */
export interface ChangedFacts {
  changed: number;
  /** By the index of the key in the request. */
  failed: { index: number; error: AppError }[];
}

export function validateChange(input: unknown, rules: FactRules): FactsChange {
  const {
    keys,
    forget: isForget,
    confirm,
    ...fields
  } = asObject(input, ['keys', 'category', 'ttl_seconds', 'add_tags', 'remove_tags', 'forget', 'confirm']);
  if (!Array.isArray(keys) || keys.length === 0)
    throw new AppError('invalid_input', 'keys must be a list of keys.', { reason: 'bad_type' });
  if (keys.length > MAX_CHANGED_FACTS)
    throw new AppError('invalid_input', `At most ${MAX_CHANGED_FACTS} facts at once.`, {
      reason: 'too_many_facts',
    });
  const valid = keys.map((key) => validKey(key));
  for (const [name, flag] of Object.entries({ forget: isForget, confirm }))
    if (flag !== undefined && typeof flag !== 'boolean')
      throw new AppError('invalid_input', `${name} must be true or false.`, { reason: 'bad_type' });
  if (isForget !== true) return { keys: valid, patch: validatePatch(fields, rules, 'several') };
  if (Object.keys(fields).length > 0)
    throw new AppError('invalid_input', 'Forget facts or change them, not both.', { reason: 'bad_type' });
  const { size } = new Set(valid);
  if (size > MAX_UNCONFIRMED_FACTS && confirm !== true)
    throw new AppError('invalid_input', `This forgets ${size} facts and needs confirm: true.`, {
      reason: 'confirmation_required',
    });
  return { keys: valid, patch: 'forget' };
}

export async function changeFacts(memory: Memory, { keys, patch }: FactsChange): Promise<ChangedFacts> {
  const failed: ChangedFacts['failed'] = [];
  let changed = 0;
  const changeOne = async (key: string, index: number) => {
    if (keys.indexOf(key) !== index) return; // a key that is named twice is changed once
    try {
      const isForget = patch === 'forget';
      const count = isForget ? await forget(memory, { type: 'fact', name: key }) : 1;
      if (!isForget) await patchFact(memory, key, patch);
      changed += count;
    } catch (thrown) {
      failed.push({ index, error: toAppError(thrown) });
    }
  };
  await Promise.all(keys.map(changeOne));
  return { changed, failed: failed.sort((a, b) => a.index - b.index) };
}
