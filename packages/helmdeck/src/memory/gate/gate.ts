import type { ScreenFinding } from './screen.ts';
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

/** What the screen reads. Key and tags are given to models as well, so instructions can be in them too. */
export function screenedText({
  key,
  value,
  tags = [],
}: Omit<ComparedText, 'tags'> & { tags?: string[] }): string {
  return [key, value, ...tags].join('\n');
}

/** A write as the gate sees it. */
export interface GatedWrite {
  trust: Trust;
  /** The request asks for a proposal. */
  asked: boolean;
  /** The token may only propose. */
  proposeOnly: boolean;
  /** What the screen found in the text. */
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
  const { trust, asked, proposeOnly, finding } = write;
  // A text that a person let in is not quarantined again when it is repeated.
  if (finding && mode !== 'open' && !current?.isSameText)
    return { status: 'quarantined', reason: `screen:${finding.rule}` };
  if (proposeOnly) return proposed('token_policy');
  if (asked) return proposed('asked');
  if (mode === 'open' || trust === 'direct_user') return ACTIVE;
  if (isLower(trust, 'tool_output_internal')) return proposed('external_source');
  if (mode === 'strict') return proposed('lower_trust');
  return current && !current.isSameText && isLower(trust, current.trust) ? proposed('lower_trust') : ACTIVE;
}
