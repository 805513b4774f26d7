// How far the origin of a text is trusted. The server stamps every version of a fact with a class; a request may lower it.

/** Lowest first. */
export const TRUST_CLASSES = [
  /** Imports and harvests of documents. */
  'untrusted_document',
  /** A pipeline run that fetched something from outside. */
  'tool_output_external',
  /** A pipeline run that did not. */
  'tool_output_internal',
  /** An agent: over MCP, or with a token that was minted for a program. */
  'model_inference',
  /** A person: in the web UI, with the CLI, or over REST with a token of their own. */
  'direct_user',
] as const;

export type Trust = (typeof TRUST_CLASSES)[number];

export function isLower(trust: Trust, than: Trust): boolean {
  return TRUST_CLASSES.indexOf(trust) < TRUST_CLASSES.indexOf(than);
}

/** The lowest of the classes that are given. */
export function lowest(trust: Trust, ...others: (Trust | undefined)[]): Trust {
  return others.reduce<Trust>((low, each) => (each && isLower(each, low) ? each : low), trust);
}

/** The highest of the classes that are given. */
export function highest(classes: readonly Trust[]): Trust {
  return classes.reduce((high, each) => (isLower(high, each) ? each : high));
}

/** The clients of tokens that a person uses; no request can mint a token with such a name. */
export const PERSONS_CLIENTS: readonly string[] = ['cli', 'browser', 'login'];

/** Whether a token is a person's. One that was minted for a program names that program as its client. */
export function isPersonsClient(client: string | undefined): boolean {
  return client === undefined || PERSONS_CLIENTS.includes(client);
}

/** The class of a write from this source. Facts of earlier versions have no class of their own: this one is theirs. */
export function trustOfSource(source: { surface: string; client?: string } | undefined): Trust {
  if (source?.surface === 'ui') return 'direct_user';
  if (!source || source.surface === 'mcp') return 'model_inference';
  return isPersonsClient(source.client) ? 'direct_user' : 'model_inference';
}

/** The class of a fact, version or proposal. */
export function trustOf(entry: { trust?: Trust; source?: { surface: string; client?: string } }): Trust {
  return entry.trust ?? trustOfSource(entry.source);
}
