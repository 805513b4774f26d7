import type { Memory } from '../memory/memory.ts';
import type { NamedMemory } from '../memory/spaces/enter-space.ts';
import type { Recall } from './recall.ts';
import type { Hit, SearchRequest } from './search.ts';

/** A hit, and the memory that it is in. */
export type PlacedHit = Hit & { from: NamedMemory };

export interface JointAnswer {
  hits: PlacedHit[];
  abstained: boolean;
  degraded?: true;
}

/**
 * Searches each memory by itself and merges what they answer: no index and no statistic is of two memories. On a tie the
 * memory that was named first comes first.
 */
export async function searchTogether<T>(
  recall: Pick<Recall, 'search'>,
  memories: readonly NamedMemory[],
  requestOf: (memory: Memory) => SearchRequest,
  use: (answer: JointAnswer) => T | Promise<T>,
): Promise<T> {
  const idOf = ({ memory }: NamedMemory) => memory.directory.idOf(memory.caller);
  // Snippets are cut while the turns of all memories are held. Two searches never wait for each other: both take the
  // turns in the same order.
  const inOrder = [...memories].sort((a, b) => Buffer.compare(idOf(a), idOf(b)));
  const answers = new Map<NamedMemory, JointAnswer>();
  let asked: SearchRequest | undefined;
  const searchNext = async (at: number): Promise<T> => {
    const from = inOrder[at];
    if (!from)
      return use(
        merged(
          memories.flatMap((each) => answers.get(each) ?? []),
          asked!,
        ),
      );
    const request = requestOf(from.memory);
    asked = request;
    return recall.search(from.memory, request, ({ hits, ...rest }) => {
      // A new object for each hit: the hit's own methods use the image, not `this`.
      answers.set(from, { ...rest, hits: hits.map((hit) => ({ ...hit, from })) });
      return searchNext(at + 1);
    });
  };
  return searchNext(0);
}

function merged(answers: readonly JointAnswer[], { text, limit }: SearchRequest): JointAnswer {
  const age = (a: Hit, b: Hit) => (text.trim() === '' ? b.document.updatedMs - a.document.updatedMs : 0);
  // Stable: on a tie the memory that was named first stays first.
  const hits = answers.flatMap((answer) => answer.hits).sort((a, b) => b.score - a.score || age(a, b));
  return {
    hits: hits.slice(0, limit),
    abstained: answers.every(({ abstained }) => abstained),
    ...(answers.some(({ degraded }) => degraded) ? { degraded: true as const } : {}),
  };
}
