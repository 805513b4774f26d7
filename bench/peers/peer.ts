/** What every peer is given: the same key, sentence and tags. */
export interface PeerFact {
  key: string;
  value: string;
  tags: string[];
}

/** Where a process finds the memory that all processes of one measurement share. */
export interface PeerPlace {
  /** The folder with everything that the peer writes. */
  folder: string;
  /** An OpenAI-compatible endpoint for embeddings, with `/v1`. */
  embeddingsUrl: string;
  /** Of Helmdeck, the only one that is a server for several programs. */
  url?: string;
  token?: string;
}

/** A peer as one program uses it. */
export interface PeerMemory {
  /** Resolves once the peer has confirmed the write. */
  store(fact: PeerFact): Promise<void>;
  /** Stores many facts in the quickest way that the peer offers. */
  storeMany(facts: readonly PeerFact[]): Promise<void>;
  /** Keys of facts, best first. */
  search(query: string, limit: number): Promise<string[]>;
  /** One search per word of the query, where the peer finds only what contains all of it. */
  searchByWord?(query: string, limit: number): Promise<string[]>;
  keys(): Promise<string[]>;
  forget(key: string): Promise<void>;
  /** Of MCP servers: the tools as a model sees them. */
  tools?(): Promise<object[]>;
  close(): Promise<void>;
}

/** `folder` is where the package is installed. */
export type OpenPeer = (place: PeerPlace, folder: string) => Promise<PeerMemory>;

/** How a text without fields of its own holds a fact. */
export const textOf = ({ key, value, tags }: PeerFact): string => `${key}: ${value} [${tags.join(', ')}]`;

/** Searches each word, longest first: what a patient model might do where a whole question finds nothing. */
export async function searchEachWord(
  search: PeerMemory['search'],
  query: string,
  limit: number,
): Promise<string[]> {
  const words = [...new Set(query.split(/[^\p{L}\p{N}-]+/u))].filter((word) => word.length > 2);
  words.sort((a, b) => b.length - a.length);
  const found = new Set<string>();
  for (const word of words) for (const key of await search(word, limit)) found.add(key);
  return [...found].slice(0, limit);
}

/** What a model is told of a tool; providers take these three fields. */
export const asModelSees = (tool: { name: string; description?: string; inputSchema: object }): object => ({
  name: tool.name,
  description: tool.description,
  input_schema: tool.inputSchema,
});
