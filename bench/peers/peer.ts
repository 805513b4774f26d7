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
  /** One search per word of the query, longest word first, where the peer finds only literal text. */
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

/** What a model is told of a tool; providers take these three fields. */
export const asModelSees = (tool: { name: string; description?: string; inputSchema: object }): object => ({
  name: tool.name,
  description: tool.description,
  input_schema: tool.inputSchema,
});
