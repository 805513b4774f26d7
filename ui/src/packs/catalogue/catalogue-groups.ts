import type { Pack, Pipeline, RecentRun } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';
import { familiesOf } from './families.ts';

const USED_SHOWN = 5;

export type CatalogueItem = { kind: 'pack'; pack: Pack } | { kind: 'pipeline'; pipeline: Pipeline };

export interface CatalogueGroup {
  label: string;
  items: CatalogueItem[];
  /** The group that a new pipeline is added to. */
  canAdd?: boolean;
}

/** The catalogue: what was used most lately, then the pipelines, then the packs by family. Each is listed once. */
export function catalogueGroups(
  packs: readonly Pack[],
  pipelines: readonly Pipeline[] | undefined,
  recent: readonly RecentRun[],
): CatalogueGroup[] {
  const items: CatalogueItem[] = [
    ...packs.map((pack) => ({ kind: 'pack', pack }) as const),
    ...(pipelines ?? []).map((pipeline) => ({ kind: 'pipeline', pipeline }) as const),
  ];
  const byName = new Map(items.map((item) => [nameOf(item.kind, idOf(item)), item]));
  const used = mostUsed(recent)
    .flatMap((name) => byName.get(name) ?? [])
    .slice(0, USED_SHOWN);
  const rest = (item: CatalogueItem) => !used.includes(item);
  const families = familiesOf(items.flatMap((item) => (item.kind === 'pack' && rest(item) ? item.pack : [])));
  return [
    ...(used.length === 0 ? [] : [{ label: strings.packs.used, items: used }]),
    ...(pipelines === undefined
      ? []
      : [
          {
            label: strings.packs.pipelines,
            items: items.filter((item) => item.kind === 'pipeline' && rest(item)),
            canAdd: true,
          },
        ]),
    ...families.map((family) => ({
      label: family.label,
      items: family.packs.map((pack) => ({ kind: 'pack', pack }) as const),
    })),
  ];
}

const nameOf = (kind: string, id: string) => `${kind} ${id}`;
export const idOf = (item: CatalogueItem) => (item.kind === 'pack' ? item.pack.name : item.pipeline.id);

/** The packs and pipelines of the latest runs, most runs first, then the latest. */
function mostUsed(recent: readonly RecentRun[]): string[] {
  const times = new Map<string, number>();
  for (const { kind, id } of recent) times.set(nameOf(kind, id), (times.get(nameOf(kind, id)) ?? 0) + 1);
  // The runs come latest first, and the sort is stable.
  return [...times].sort(([, a], [, b]) => b - a).map(([name]) => name);
}
