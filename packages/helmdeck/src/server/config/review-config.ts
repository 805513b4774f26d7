import type { ReviewPolicy } from '../../memory/facts/review-policy.ts';
import { FACT_POLICY, validCategory } from '../../memory/facts/validate-fact.ts';
import { ConfigError, type Values } from './config-values.ts';

const OTHERS = '*';
const UNIT_SECONDS: Record<string, number> = { h: 3_600, d: 86_400, w: 604_800 };

/** HELMDECK_REVIEW_AFTER: one period for all facts, or a list of them by category; `off` means never. */
export function reviewPolicy(values: Values): ReviewPolicy {
  const periods = new Map<string, number | undefined>();
  for (const item of values.get('REVIEW_AFTER')!.split(',')) {
    const [name, text] = item.includes('=') ? item.split(/=(.*)/s) : [OTHERS, item];
    const category = categoryOf(name!.trim());
    if (periods.has(category))
      throw new ConfigError(`HELMDECK_REVIEW_AFTER has two periods for "${category}".`);
    periods.set(category, periodSeconds(text!.trim().toLowerCase()));
  }
  const otherSeconds = periods.has(OTHERS) ? periods.get(OTHERS) : FACT_POLICY.defaultReviewSeconds;
  periods.delete(OTHERS);
  return { byCategory: periods, otherSeconds };
}

function categoryOf(name: string): string {
  if (name === OTHERS) return name;
  try {
    if (name !== '') return validCategory(name);
  } catch {
    // The message below names the variable.
  }
  throw new ConfigError(`HELMDECK_REVIEW_AFTER names "${name}", which is not a category of facts.`);
}

function periodSeconds(text: string): number | undefined {
  if (text === 'off') return undefined;
  const match = /^([1-9]\d{0,4})([hdw])$/.exec(text);
  const seconds = match ? Number(match[1]) * UNIT_SECONDS[match[2]!]! : 0;
  if (seconds < FACT_POLICY.minReviewSeconds || seconds > FACT_POLICY.maxReviewSeconds)
    throw new ConfigError(
      'HELMDECK_REVIEW_AFTER must be a period from 1h to 365d, a list such as preferences=90d,*=30d, or off.',
    );
  return seconds;
}
