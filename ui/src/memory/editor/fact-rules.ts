import { strings } from '../../strings.ts';

/** A fact while it is being edited, as the form fields hold it. */
export interface Draft {
  key: string;
  value: string;
  category: string;
  tags: string[];
  ttlDays: number;
}

export type DraftProblems = Partial<Record<keyof Draft, string>>;

const RESERVED_CATEGORIES = ['pack_history', 'pipeline_history', 'plan_history', 'cache', 'working'];
const RESERVED_KEYS = /^(pack_history|pipeline_history|plan_history)\//;
const MAX_VALUE_BYTES = 65_536;
const bytes = (text: string) => new TextEncoder().encode(text).length;

/** What the server would reject, shown while typing. The server still decides. */
export function draftProblems(draft: Draft): DraftProblems {
  const problems: DraftProblems = {};
  const text = strings.rules;
  const key = draft.key.trim().normalize('NFC');
  if (key === '') problems.key = text.keyMissing;
  else if (bytes(key) > 512) problems.key = text.keyTooLong;
  else if (/\p{Cc}/u.test(key) || key === '.' || key === '..') problems.key = text.keyBad;
  else if (RESERVED_KEYS.test(key)) problems.key = text.keyReserved;
  if (draft.value.trim() === '') problems.value = text.valueMissing;
  else if (bytes(draft.value.trim()) > MAX_VALUE_BYTES) problems.value = text.valueTooLong;
  const category = draft.category.trim();
  if (category !== '' && !/^[A-Za-z0-9_.-]{1,64}$/.test(category)) problems.category = text.categoryBad;
  else if (RESERVED_CATEGORIES.includes(category.toLowerCase())) problems.category = text.categoryReserved;
  if (draft.tags.length > 32) problems.tags = text.tagsTooMany;
  else if (draft.tags.some((tag) => bytes(tag) > 64)) problems.tags = text.tagTooLong;
  if (!(draft.ttlDays >= 1 / 24 && draft.ttlDays <= 365)) problems.ttlDays = text.ttlBad;
  return problems;
}

/** Parses tags as people write them: separated by commas or spaces, with or without a #. */
export function tagsFromText(text: string): string[] {
  const tags = text.split(/[\s,]+/).map((tag) => tag.replace(/^#/, ''));
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

/** The field that a rejection by the server is about. */
export function fieldOfReason(code: string, reason: string | undefined): keyof Draft | undefined {
  if (code === 'secret_detected') return 'value';
  const match = /(key|value|category|tag|ttl)/.exec(reason ?? '')?.[1];
  const fields = { key: 'key', value: 'value', category: 'category', tag: 'tags', ttl: 'ttlDays' } as const;
  return match === undefined ? undefined : fields[match as keyof typeof fields];
}
