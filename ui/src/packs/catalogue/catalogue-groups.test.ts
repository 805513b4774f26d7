import { describe, expect, it } from 'vitest';
import type { Pack, Pipeline, RecentRun } from '../../api/generated/rest.ts';
import { catalogueGroups, idOf } from './catalogue-groups.ts';

const pack = (name: string) => ({ name }) as Pack;
const pipeline = (id: string) => ({ id }) as Pipeline;
const run = (kind: 'pack' | 'pipeline', id: string) => ({ kind, id }) as RecentRun;
const shown = (...args: Parameters<typeof catalogueGroups>) =>
  catalogueGroups(...args).map(({ label, items }) => [label, items.map(idOf)]);

describe('the catalogue', () => {
  const packs = ['github.search', 'http.fetch', 'release.check', 'release.write'].map(pack);

  it('what was used most lately comes first and is listed once; the packs of the team come before the built-in ones', () => {
    const recent = [run('pack', 'http.fetch'), run('pipeline', 'pipe_1'), run('pipeline', 'pipe_1')];
    expect(shown(packs, [pipeline('builtin.a'), pipeline('pipe_1')], recent)).toEqual([
      ['Used lately', ['pipe_1', 'http.fetch']],
      ['Pipelines', ['builtin.a']],
      ['Release', ['release.check', 'release.write']],
      ['GitHub', ['github.search']],
    ]);
  });

  it('a pack that no longer exists is not listed, and without runs there is no such group', () => {
    expect(shown([pack('http.fetch')], undefined, [run('pack', 'gone.pack')])).toEqual([
      ['Files and web', ['http.fetch']],
    ]);
  });
});
