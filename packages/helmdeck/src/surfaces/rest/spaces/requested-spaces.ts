import { AppError } from '../../../errors.ts';
import { validSlug } from '../../../memory/spaces/space.ts';
import type { Identity } from '../../http/auth.ts';

/** The spaces to narrow a token to; by default those that one's own is narrowed to, and never others. */
export function requestedSpaces(input: unknown, { spaces }: Identity): string[] | undefined {
  if (input === undefined) return spaces && [...spaces];
  if (!Array.isArray(input))
    throw new AppError('invalid_input', 'spaces must be an array of names of spaces.', {
      reason: 'bad_type',
    });
  const slugs = [...new Set(input.map(validSlug))];
  const other = slugs.find((slug) => spaces !== undefined && !spaces.has(slug));
  if (other === undefined) return slugs;
  throw new AppError('insufficient_scope', `Your token is not for the space ${other}.`);
}

/** Whether a token narrowed like this includes all spaces of another: what was narrowed must not manage what was not. */
export const coversSpaces = ({ spaces }: Identity, others: readonly string[] | undefined) =>
  spaces === undefined || (others?.every((slug) => spaces.has(slug)) ?? false);
