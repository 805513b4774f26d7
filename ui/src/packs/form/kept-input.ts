import type { Pack } from '../../api/generated/rest.ts';
import { drafts } from '../../kit/drafts.ts';
import type { Fields } from './first-input.ts';

/** Where the input of a run is kept until the run is accepted. */
export interface KeptInput {
  /** Of the draft. */
  name: string;
  /** Kept in the page only: it may hold a credential. */
  secret: boolean;
}

/** A suggestion that was taken fills a form of its own, so that it does not replace what was typed without it. */
export const keptInput = (of: string, suggested: Fields | undefined, packs: readonly Pack[]): KeptInput => ({
  name: `run ${of}${suggested === undefined ? '' : ` ${JSON.stringify(suggested)}`}`,
  secret: packs.some(({ scopes }) => scopes.includes('vault:write')),
});

/** Returns how to discard the draft once it was sent, unless it was changed in the meantime. */
export function sendingDraft(name: string): () => void {
  const sent = drafts.read(name);
  return () => {
    if (drafts.read(name) === sent) drafts.discard(name);
  };
}
