import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { type Adoption, openIssuerCallers } from './issuer-callers.ts';

const ISSUER = 'https://idp.example';
let server: TestServer;
beforeEach(async () => {
  server = await testServer();
});
afterEach(() => server.close());

const open = (adopt?: Adoption, issuer = ISSUER) =>
  openIssuerCallers(server.memory!.parts, { issuer, adopt, adminUsername: 'admin' });
const of = (subject: string, tenant?: string) =>
  tenant === undefined ? { issuer: ISSUER, subject } : { issuer: ISSUER, tenant, subject };

async function store(subject: string, tenant?: string): Promise<void> {
  const authorization = `Bearer ${await server.token(subject, { tenant })}`;
  await server.call(undefined, 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' }, { authorization });
}

describe('openIssuerCallers', () => {
  it('a server whose only caller is the admin asks nothing, then or later', async () => {
    await store('admin');
    expect((await open()).undecided).toBe(0);
    await store('ada');
    const callers = await open();
    expect(callers).toMatchObject({ undecided: 0, adoptedNow: 0 });
    expect(callers.callerOf(of('ada'))).toEqual(of('ada'));
    expect(callers.callerOf(of('admin'))).toEqual(of('admin'));
  });

  it('existing callers leave the issuer undecided, and its subjects are refused until the operator decides', async () => {
    await store('ada');
    const undecided = await open();
    expect(undecided.undecided).toBe(1);
    expect(() => undecided.callerOf(of('ada'))).toThrow(/not decided/);
    expect(undecided.callerOf({ subject: 'ada' })).toEqual({ subject: 'ada' });
    const decided = await open('none');
    expect(decided).toMatchObject({ undecided: 0, adoptedNow: 0 });
    expect(decided.callerOf(of('ada'))).toEqual(of('ada'));
    expect((await open()).undecided).toBe(0);
    expect((await open(undefined, 'https://other.example')).undecided).toBe(1);
  });

  it('all adopts every existing caller but the admin, once: callers that come later are not adopted', async () => {
    for (const subject of ['ada', 'bob', 'admin']) await store(subject);
    await store('ada', 'acme');
    const callers = await open('all');
    expect(callers.adoptedNow).toBe(3);
    expect(callers.callerOf(of('ada'))).toEqual({ subject: 'ada' });
    expect(callers.callerOf(of('ada', 'acme'))).toEqual({ subject: 'ada', tenant: 'acme' });
    expect(callers.callerOf(of('bob', 'acme'))).toEqual(of('bob', 'acme'));
    expect(callers.callerOf(of('admin'))).toEqual(of('admin'));
    await store('eve');
    const later = await open('all');
    expect(later.adoptedNow).toBe(0);
    expect(later.callerOf(of('eve'))).toEqual(of('eve'));
    expect(later.callerOf(of('bob'))).toEqual({ subject: 'bob' });
  });

  it('a list adopts the named subjects only, and can be extended', async () => {
    for (const subject of ['ada', 'bob', 'admin']) await store(subject);
    const first = await open(['ada']);
    expect([first.callerOf(of('ada')), first.callerOf(of('bob'))]).toEqual([{ subject: 'ada' }, of('bob')]);
    const second = await open(['admin', 'ada']);
    expect(second.adoptedNow).toBe(1);
    expect(second.callerOf(of('admin'))).toEqual({ subject: 'admin' });
    expect((await open()).callerOf(of('ada'))).toEqual({ subject: 'ada' });
  });

  it('a caller of another issuer is never adopted', async () => {
    await store('ada');
    const other = { issuer: 'https://other.example', subject: 'ada' };
    expect((await open('all')).callerOf(other)).toEqual(other);
  });
});
