import type { ScreenFinding } from './screen/screen.ts';
import { isLower, type Trust } from './trust.ts';

// The one decision on a write: whether it becomes a fact at once, or waits in the inbox for a person.

export const GATE_MODES = ['guarded', 'strict', 'open'] as const;
export type GateMode = (typeof GATE_MODES)[number];

/** What the gate needs from the rest of the server. */
export interface Gate {
  mode: GateMode;
  /** Compares a text with others: how much they say the same, from 0 to 1. */
  similarityTo(text: ComparedText): (other: ComparedText) => number;
}

export interface ComparedText {
  key: string;
  value: string;
  tags: string[];
}

/**
 * What the screen reads. Key, tags, category and project are given to models, too, so instructions can be in them; and what
 * was taken from a sentence with instructions is suspicious, however harmless it is by itself.
 */
export function screenedText({
  key,
  value,
  tags = [],
  category = '',
  project = '',
  quote,
}: ScreenedText): string {
  const named = category === '' ? [key] : [category, key];
  const labels = project === '' ? tags : [...tags, project];
  // The empty line keeps a phrase from beginning in the labels and ending in the quote.
  return [...named, value, ...labels, ...(quote === undefined ? [] : ['', quote])].join('\n');
}

export interface ScreenedText {
  key: string;
  value: string;
  tags?: string[];
  category?: string;
  project?: string;
  quote?: string;
}

/** A write as the gate sees it. */
export interface GatedWrite {
  trust: Trust;
  /** The request asks for a proposal. */
  asked: boolean;
  /** The token may only propose. */
  proposeOnly: boolean;
  /** The role in the space allows no more than to propose. */
  isProposer?: boolean;
  /** What the screen found in the text, unless the fact says it already. */
  finding: ScreenFinding | undefined;
}

/** The fact that the write would replace. */
export interface ReplacedFact {
  trust: Trust;
  /** The write says what the fact says already, so it replaces nothing. */
  isSameText: boolean;
}

export type Decision = { status: 'active' } | { status: 'proposed' | 'quarantined'; reason: string };

const ACTIVE: Decision = { status: 'active' };
const proposed = (reason: string): Decision => ({ status: 'proposed', reason });

export function decide(mode: GateMode, write: GatedWrite, current: ReplacedFact | undefined): Decision {
  const { trust, asked, proposeOnly, isProposer, finding } = write;
  if (finding && mode !== 'open') return { status: 'quarantined', reason: `screen:${finding.rule}` };
  if (isProposer) return proposed('space_role');
  if (proposeOnly) return proposed('token_policy');
  if (asked) return proposed('asked');
  if (mode === 'open' || trust === 'direct_user') return ACTIVE;
  if (isLower(trust, 'tool_output_internal')) return proposed('external_source');
  if (mode === 'strict') return proposed('lower_trust');
  return current && !current.isSameText && isLower(trust, current.trust) ? proposed('lower_trust') : ACTIVE;
}
