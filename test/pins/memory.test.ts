import { describe, expect, it } from 'vitest';
import { memoryCaller } from './memory-caller.ts';

const { clock, call, json } = memoryCaller();
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const HEX64 = expect.stringMatching(/^[0-9a-f]{64}$/);
const BASE64 = expect.stringMatching(/^[A-Za-z0-9+/]+=*$/);
const SOURCE = { surface: 'rest', client: 'cursor', token_id: UUID };

const FACT = {
  key: 'home/city',
  value: 'Milan',
  category: 'places',
  tags: ['home', 'it'],
  version: 2,
  created_at: '2026-01-01T12:00:00.250Z',
  updated_at: '2026-01-01T12:00:01.250Z',
  expires_at: '2026-01-01T13:00:01Z',
  source: SOURCE,
  trust: 'model_inference',
  confirmed_at: '2026-01-01T12:00:01.250Z',
  review_by: '2026-01-31T12:00:01.250Z',
  recalled_count: 0,
};

describe('JSON of memory', () => {
  it('POST /store returns the pinned JSON and headers', async () => {
    const body = {
      key: ' home/city ',
      value: 'Turin',
      category: 'places',
      tags: ['home'],
      ttl_seconds: 3600,
    };
    expect(await json('POST', '/store', body)).toEqual({
      status: 'active',
      key: 'home/city',
      category: 'places',
      expires_at: '2026-01-01T13:00:00Z',
      created: true,
      version: 1,
      updated_at: '2026-01-01T12:00:00.250Z',
    });
    clock.advance(1000);
    const again = await call('POST', '/store', { ...body, value: 'Milan', tags: ['home', 'it', 'home'] });
    expect(await again.json()).toEqual({
      status: 'active',
      key: 'home/city',
      category: 'places',
      expires_at: '2026-01-01T13:00:01Z',
      created: false,
      version: 2,
      updated_at: '2026-01-01T12:00:01.250Z',
    });
    expect(again.headers.get('etag')).toBe('"2"');
    expect(again.headers.get('content-type')).toMatch(/^application\/json/);
    expect(again.headers.get('cache-control')).toBe('no-store');
    expect(again.headers.get('x-request-id')).toEqual(UUID);
  });

  it('POST /store/batch returns the pinned JSON', async () => {
    const facts = [
      { key: 'plain', value: 'x' },
      { key: '', value: 'x' },
    ];
    expect(await json('POST', '/store/batch', { facts }, { 'x-request-id': 'my-request' })).toEqual({
      results: [
        {
          index: 0,
          status: 'active',
          key: 'plain',
          category: 'user_facts',
          expires_at: '2026-04-01T12:00:01Z',
          created: true,
          version: 1,
          updated_at: '2026-01-01T12:00:01.250Z',
        },
        {
          index: 1,
          error: 'invalid_input',
          message: 'key is required.',
          reason: 'missing_key',
          hint: 'Correct the field the message names and send it again.',
          request_id: 'my-request',
        },
      ],
    });
  });

  it('GET /facts returns the pinned JSON', async () => {
    expect(await json('GET', '/facts?limit=1&sort=key')).toEqual({
      facts: [FACT],
      next_cursor: expect.stringMatching(/^[\w-]+$/),
    });
    expect(await json('GET', '/facts?prefix=nothing')).toEqual({ facts: [] });
  });

  it('GET /facts/{key} returns the pinned JSON', async () => {
    expect(await json('GET', '/facts/home%2Fcity')).toEqual(FACT);
    expect(await json('GET', '/facts/home/city?version=1')).toEqual({
      ...FACT,
      value: 'Turin',
      version: 1,
      tags: ['home'],
      updated_at: '2026-01-01T12:00:00.250Z',
      confirmed_at: '2026-01-01T12:00:00.250Z',
      review_by: '2026-01-31T12:00:00.250Z',
    });
  });

  it('GET /facts/{key}/history returns the pinned JSON', async () => {
    expect(await json('GET', '/facts/home%2Fcity/history')).toEqual({
      versions: [
        {
          version: 2,
          value: 'Milan',
          category: 'places',
          tags: ['home', 'it'],
          at: '2026-01-01T12:00:01.250Z',
          source: SOURCE,
          trust: 'model_inference',
        },
        {
          version: 1,
          value: 'Turin',
          category: 'places',
          tags: ['home'],
          at: '2026-01-01T12:00:00.250Z',
          source: SOURCE,
          trust: 'model_inference',
        },
      ],
    });
  });

  it('GET /facets returns the pinned JSON', async () => {
    expect(await json('GET', '/facets')).toEqual({
      total: 2,
      categories: [
        { name: 'places', count: 1 },
        { name: 'user_facts', count: 1 },
      ],
      tags: [
        { name: 'home', count: 1 },
        { name: 'it', count: 1 },
      ],
      projects: [],
      sources: [{ name: 'cursor', count: 2 }],
      prefixes: [{ name: 'home/', count: 1 }],
    });
  });

  it('GET /mine returns the pinned JSON', async () => {
    expect(await json('GET', '/mine')).toEqual({
      scope: 'caller=ada',
      fetched_at: '2026-01-01T12:00:01.250Z',
      categories: [
        { name: 'places', count: 1, recent_keys: ['home/city'] },
        { name: 'user_facts', count: 1, recent_keys: ['plain'] },
      ],
      note: '1 fact expires within a week; store or renew what should stay.',
    });
  });

  it('GET /context returns the pinned JSON', async () => {
    expect(await json('GET', '/context')).toEqual({
      namespace: 'ada',
      entries: {
        places: [
          {
            key: 'home/city',
            category: 'places',
            tags: ['home', 'it'],
            fingerprint: 'ec3ae6550b944636',
            created_at: '2026-01-01T12:00:00.250Z',
            updated_at: '2026-01-01T12:00:01.250Z',
            confirmed_at: '2026-01-01T12:00:01.250Z',
            review_by: '2026-01-31T12:00:01.250Z',
          },
        ],
        user_facts: [
          {
            key: 'plain',
            category: 'user_facts',
            tags: [],
            fingerprint: '2d711642b726b044',
            created_at: '2026-01-01T12:00:01.250Z',
            updated_at: '2026-01-01T12:00:01.250Z',
            confirmed_at: '2026-01-01T12:00:01.250Z',
            review_by: '2026-01-31T12:00:01.250Z',
          },
        ],
      },
    });
  });

  it('GET /stats returns the pinned JSON', async () => {
    const bytes = expect.any(Number);
    expect(await json('GET', '/stats')).toEqual({
      scope: 'caller=ada',
      counts: { fact: 2, version: 1 },
      bytes,
      bytes_by_kind: { fact: bytes, version: bytes },
      quota: { facts: { used: 2, limit: 250_000 }, bytes: { used: bytes, limit: 1_073_741_824 } },
      unreadable_rows: 0,
      oldest: '2026-01-01T12:00:00.250Z',
      next_expiry: '2026-01-01T13:00:01Z',
      embeddings: null,
      key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      key_ephemeral: false,
      rotation: { total: 0, done: 0, unreadable: 0, finished: true },
    });
  });

  it('GET /callers returns the pinned JSON', async () => {
    expect(await json('GET', '/callers')).toEqual({ callers: [{ namespace: 'ada', count: 2 }] });
  });

  it('PATCH /facts/{key} returns the pinned JSON', async () => {
    clock.advance(1000);
    expect(await json('PATCH', '/facts/home%2Fcity', { ttl_seconds: 7200, tags: [] })).toEqual({
      ...FACT,
      tags: [],
      updated_at: '2026-01-01T12:00:02.250Z',
      expires_at: '2026-01-01T14:00:02Z',
    });
  });

  it('POST /facts/{key}/confirm returns the pinned JSON, and GET /facts/{key} the confirmation', async () => {
    clock.advance(1000);
    expect(await json('POST', '/facts/home%2Fcity/confirm')).toEqual({
      key: 'home/city',
      version: 2,
      confirmed_at: '2026-01-01T12:00:03.250Z',
      review_by: '2026-01-31T12:00:03.250Z',
      expires_at: '2026-01-01T14:00:03Z',
    });
    expect(await json('GET', '/facts/home%2Fcity')).toEqual({
      ...FACT,
      tags: [],
      updated_at: '2026-01-01T12:00:02.250Z',
      expires_at: '2026-01-01T14:00:03Z',
      confirmed_at: '2026-01-01T12:00:03.250Z',
      review_by: '2026-01-31T12:00:03.250Z',
      confirmed_by: SOURCE,
    });
  });

  it('POST /store with key and value alone over a fact keeps category, tags and TTL as pinned', async () => {
    await json('POST', '/store', {
      key: 'kept',
      value: 'a',
      category: 'c',
      tags: ['t'],
      ttl_seconds: 31_536_000,
    });
    expect(await json('POST', '/store', { key: 'kept', value: 'b' })).toEqual({
      status: 'active',
      key: 'kept',
      category: 'c',
      expires_at: '2027-01-01T12:00:03Z',
      created: false,
      version: 2,
      updated_at: '2026-01-01T12:00:03.250Z',
    });
    expect(await json('GET', '/facts/kept')).toMatchObject({ value: 'b', category: 'c', tags: ['t'] });
    await json('POST', '/store', { key: 'kept', value: 'b', tags: [], ttl_seconds: 0 });
    expect(await json('GET', '/facts/kept')).toMatchObject({
      category: 'c',
      tags: [],
      expires_at: '2026-04-01T12:00:03Z',
    });
    expect(await json('DELETE', '/facts/kept')).toEqual({ deleted: 1 });
  });

  it('DELETE /facts/{key} and POST /forget return the pinned JSON', async () => {
    expect(await json('DELETE', '/facts/home%2Fcity')).toEqual({ deleted: 1 });
    expect(await json('DELETE', '/facts/home%2Fcity')).toEqual({ deleted: 0 });
    expect(await json('POST', '/forget', { scope: 'all' })).toEqual({ scope: 'all', deleted: 1 });
  });

  it('POST /forget with scope erase returns the pinned receipt', async () => {
    expect(await json('POST', '/forget', { scope: 'erase' })).toEqual({
      scope: 'erase',
      deleted: 0,
      receipt: {
        receipt_id: UUID,
        namespace_digest: HEX64,
        rows: 0,
        erased_at: '2026-01-01T12:00:03.250Z',
        not_covered: [
          'Backups and copies of the database made before the erasure.',
          "A shared database server's own logs, replicas and backups.",
          'The access audit, which records that an erasure happened.',
        ],
        public_key: BASE64,
        signature: BASE64,
      },
    });
  });

  it('a project is on every view of a fact that has one, as pinned', async () => {
    const body = { key: 'deploy/target', value: 'staging', project: ' github.com/acme/shop ' };
    await json('POST', '/store', body);
    const project = 'github.com/acme/shop';
    expect(await json('GET', '/facts/deploy%2Ftarget')).toMatchObject({ project });
    expect(await json('GET', '/facts?project=github.com/acme/shop')).toMatchObject({
      facts: [{ key: 'deploy/target', project }],
    });
    expect(await json('GET', '/facts?project=github.com/acme')).toEqual({ facts: [] });
    expect(await json('GET', '/facts/deploy%2Ftarget/history')).toMatchObject({ versions: [{ project }] });
    expect(await json('GET', '/search?q=deploy')).toMatchObject({ results: [{ project }] });
    expect(await json('GET', '/facets')).toMatchObject({ projects: [{ name: project, count: 1 }] });
    expect((await (await call('GET', '/export')).text()).trim().split('\n').at(-1)).toContain(
      '"project":"github.com/acme/shop"',
    );
    await json('DELETE', '/facts/deploy%2Ftarget');
  });
});
