import { AppError } from '../../errors.ts';
import { hasScope } from '../../memory/scopes.ts';
import { validSlug } from '../../memory/spaces/space.ts';
import { type Identity, PERSONS_SCOPES, SCOPES } from '../http/auth.ts';

// What a request asks for when it mints a token: never more than the token that it is sent with has.

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

export function requestedScopes(input: unknown, identity: Identity): string[] {
  const known: readonly string[] = SCOPES;
  if (!Array.isArray(input) || !input.every((scope) => known.includes(scope))) {
    throw new AppError('invalid_input', `scopes must be some of ${SCOPES.join(', ')}.`, {
      reason: 'bad_type',
    });
  }
  const missing = input.find((scope) => !hasScope(identity.scopes, scope));
  if (missing)
    throw new AppError(
      'insufficient_scope',
      `You cannot grant the scope ${missing}, because your token does not have it.`,
    );
  return [...new Set(input as string[])];
}

/** The rights of a person's session are granted only on request: most tokens are for programs. */
export const withoutPersonsScopes = (scopes: ReadonlySet<string>) =>
  [...scopes].filter((each) => !PERSONS_SCOPES.includes(each));
