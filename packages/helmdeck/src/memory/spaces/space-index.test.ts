import { expect, it } from 'vitest';
import type { Space } from './space.ts';
import { createSpaceIndex } from './space-index.ts';

const spaceOf = (id: string, tenant: string | undefined): Space => ({
  rowId: `row ${id}`,
  caller: { space: id, subject: undefined },
  slug: 'platform',
  tenant,
  createdMs: 0,
});
const grantOf = (spaceId: string) => ({
  rowId: `grant of ${spaceId}`,
  spaceId,
  role: 'reader' as const,
  principal: { group: 'eng' },
  by: 'member-1',
  atMs: 0,
  expiresMs: null,
});

it('a grant to a group counts for the people of its tenant only, also where two tenants have a space and a group of one name', () => {
  const index = createSpaceIndex(
    () => 0,
    ({ space }) => Buffer.from(space ?? ''),
  );
  const find = (tenant: string | undefined) =>
    index.find({ caller: { tenant, subject: 'ada' } }, ['eng'], 'platform')?.space.caller.space;

  index.learnSpace(spaceOf('of acme', 'acme'));
  index.learnGrant(grantOf('of acme'));
  expect([find('acme'), find(undefined), find('globex')]).toEqual(['of acme', undefined, undefined]);

  index.learnSpace(spaceOf('of all', undefined));
  index.learnGrant(grantOf('of all'));
  expect([find('acme'), find(undefined)]).toEqual(['of acme', 'of all']);

  index.forgetRow('grant of of all');
  expect([find('acme'), find(undefined)]).toEqual(['of acme', undefined]);
});
