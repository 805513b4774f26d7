import type { RegisteredClient } from '../../../memory/oauth/registered-clients.ts';
import { REDIRECT_LIMITS, redirectProblem } from './redirect-uris.ts';

type Checked = { metadata: RegisteredClient; error?: undefined } | { metadata?: undefined; error: string };

const MAX_NAME_CHARS = 60;
const UNNAMED = 'Unnamed application';

/** The metadata of an application, or what is wrong with it, as the rest of a sentence. */
export function clientMetadata(document: unknown): Checked {
  if (typeof document !== 'object' || document === null) return { error: 'it is not a JSON object' };
  const {
    redirect_uris: uris,
    client_name: name,
    grant_types: grants,
    response_types: responses,
  } = document as Record<string, unknown>;
  if (!isTexts(uris) || uris.length === 0 || uris.length > REDIRECT_LIMITS.maxUris)
    return { error: `redirect_uris must be a list of 1 to ${REDIRECT_LIMITS.maxUris} URIs` };
  for (const uri of uris) {
    const problem = redirectProblem(uri);
    if (problem !== undefined) return { error: `a redirect URI ${problem}` };
  }
  if (grants !== undefined && !(isTexts(grants) && grants.includes('authorization_code')))
    return { error: 'grant_types must include authorization_code' };
  if (responses !== undefined && !(isTexts(responses) && responses.includes('code')))
    return { error: 'response_types must include code' };
  if (name !== undefined && typeof name !== 'string') return { error: 'client_name must be a text' };
  return { metadata: { name: shownName(name), redirectUris: [...new Set(uris)] } };
}

/** A name as people are shown it: nothing invisible, one line, and not too long for a button. */
function shownName(name = ''): string {
  const plain = name.normalize('NFC').replaceAll(/\p{C}/gu, '').replaceAll(/\s+/gu, ' ').trim();
  return [...plain].slice(0, MAX_NAME_CHARS).join('').trim() || UNNAMED;
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
