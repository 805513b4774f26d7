import fc from 'fast-check';
import type { Kind } from '../../memory/entry.ts';
import { type Op, TOMBSTONE_MS } from '../../memory/store.ts';
import { idOf, rowOf } from './harness.ts';

/** One op on one of a few slots, so that random sequences often hit the same rows. */
type Step =
  | {
      type: 'put';
      slot: number;
      kind: number;
      group: number;
      size: number;
      ttlMs: number | null;
      check: Check;
    }
  | { type: 'delete'; slot: number; check: Check }
  | { type: 'deleteWhere'; kinds: Kind[] | undefined; group: number | undefined };

/** Which revision a precondition names: none, the current one, one too many, or "must be absent". */
type Check = 'none' | 'right' | 'ahead' | 'absent';

export interface Batch {
  type: 'apply';
  space: number;
  steps: Step[];
}

export type Command =
  | Batch
  | { type: 'sweep'; limit: number }
  | { type: 'advance'; ms: number }
  | { type: 'drop'; space: number }
  /** A follower of the namespace catches up. */
  | { type: 'follow'; space: number };

/** Slots below this may be parents, the others their children; the model covers one level only. */
const PARENTS = 3;
const SLOTS = 7;
const PARENT_KINDS = ['fact', 'note', 'cache'] as const;
const CATEGORIES = 2;

const slot = fc.nat({ max: SLOTS - 1 });
// Wrong preconditions are rare, because a rejected batch tests nothing else.
const check = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Check>('none') },
  { weight: 4, arbitrary: fc.constant<Check>('right') },
  { weight: 1, arbitrary: fc.constantFrom<Check[]>('ahead', 'absent') },
);
const group = fc.nat({ max: PARENTS + CATEGORIES - 1 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('put' as const),
      slot,
      kind: fc.nat({ max: PARENT_KINDS.length - 1 }),
      group: fc.nat({ max: PARENTS + CATEGORIES }),
      size: fc.nat({ max: 200 }),
      ttlMs: fc.constantFrom(null, null, 0, 1, 50_000),
      check,
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), slot, check }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('deleteWhere' as const),
      kinds: fc.option(fc.subarray<Kind>([...PARENT_KINDS, 'version']), { nil: undefined }),
      group: fc.option(group, { nil: undefined }),
    }),
  },
);

const space = fc.nat({ max: 1 });

/** Random sequences of commands on two namespaces. */
export const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant('apply' as const),
        space,
        steps: fc.array(step, { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('sweep' as const), limit: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('advance' as const),
        ms: fc.constantFrom(1, 49_999, TOMBSTONE_MS + 1),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('drop' as const), space }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('follow' as const), space }) },
  ),
  { minLength: 1, maxLength: 30, size: 'max' },
);

/** The first indexes are the ids of parents, then come categories; the last one is no group. */
function groupOf(index: number): Uint8Array | null {
  if (index < PARENTS) return idOf(`slot ${index}`);
  return index < PARENTS + CATEGORIES ? idOf(`category ${index}`) : null;
}

/** The ops of a batch; expected revisions refer to the state before it. */
export function batchOps(batch: Batch, nowMs: number, revOf: (id: Uint8Array) => number): Op[] {
  return batch.steps.map((one): Op => {
    if (one.type === 'deleteWhere') {
      const { kinds } = one;
      return { type: 'deleteWhere', kinds, group: one.group === undefined ? undefined : groupOf(one.group)! };
    }
    const id = idOf(`slot ${one.slot}`);
    const rev = revOf(id);
    const ifRev = { none: undefined, right: rev, ahead: rev + 1, absent: 0 }[one.check];
    if (one.type === 'delete') return { type: 'delete', id, ifRev };
    const parent = one.slot < PARENTS;
    const row = rowOf(`slot ${one.slot}`, {
      kind: parent ? PARENT_KINDS[one.kind]! : 'version',
      // A parent has no parent itself: only a category, or no group.
      group: groupOf(parent ? Math.max(one.group, PARENTS) : one.group),
      body: new Uint8Array(one.size).fill(one.size),
      rev: rev + 1,
      updatedMs: nowMs,
      expiresMs: one.ttlMs === null ? null : nowMs + one.ttlMs,
    });
    return { type: 'put', row, ifRev };
  });
}
