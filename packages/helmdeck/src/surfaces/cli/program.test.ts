import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors.ts';
import type { CliDeps, Terminal } from './deps.ts';
import { createCli } from './program.ts';

interface SentRequest {
  method: string;
  path: string;
  body: unknown;
}

/** The commands with a server whose responses are given in a list. */
function cli(answers: (sent: SentRequest) => Response | object, more: Partial<CliDeps> = {}) {
  const sent: SentRequest[] = [];
  let closed = 0;
  const terminal = {
    in: new PassThrough(),
    out: new PassThrough(),
    err: new PassThrough(),
  } satisfies Terminal;
  const notHere = () => {
    throw new Error('not in this test');
  };
  const deps: CliDeps = {
    terminal,
    version: '1.2.3',
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    scopes: ['memory:read', 'admin'],
    defaultScopes: ['memory:read'],
    onInterrupt: () => () => {},
    machine: {
      homeDir: '/nowhere',
      stateDir: undefined,
      workDir: '/nowhere',
      platform: 'linux',
      environment: {},
      launch: { command: 'helmdeck', args: [] },
    },
    findServer: async () => undefined,
    connect: async () => ({
      async fetch(path, init = {}) {
        const body = typeof init.body === 'string' ? init.body : undefined;
        const json = body?.startsWith('{') ? JSON.parse(body) : body;
        sent.push({ method: init.method ?? 'GET', path, body: json });
        const answer = answers(sent.at(-1)!);
        return answer instanceof Response ? answer : Response.json(answer);
      },
      close: async () => void closed++,
    }),
    saveLogin: notHere,
    savedLogin: () => undefined,
    deleteLogin: () => {},
    serve: notHere,
    init: notHere,
    rotateKey: notHere,
    settings: notHere,
    variables: () => [],
    doctor: notHere,
    findOrphanedRows: notHere,
    purgeOrphanedRows: notHere,
    backup: notHere,
    listBackups: notHere,
    migrate: notHere,
    newPack: notHere,
    testPacks: notHere,
    restore: notHere,
    ...more,
  };
  return {
    sent,
    closed: () => closed,
    async run(...argv: string[]) {
      const code = await createCli(deps).run(argv);
      return { code, out: String(terminal.out.read() ?? ''), err: String(terminal.err.read() ?? '') };
    },
  };
}

const stored = { key: 'k', created: true, version: 1, expires_at: '2026-01-31T00:00:00Z' };

describe('the commands', () => {
  it('commands send their arguments and close the connection', async () => {
    const { run, sent, closed } = cli(() => stored);
    const { code, out } = await run(
      'remember',
      'k',
      'two',
      'words',
      '--tag',
      'a',
      '--tag',
      'b',
      '--ttl',
      '30d',
    );
    expect({ code, out }).toEqual({ code: 0, out: 'Remembered k  expires in 30 days\n' });
    const body = { key: 'k', value: 'two words', tags: ['a', 'b'], ttl_seconds: 2_592_000 };
    expect(sent).toEqual([{ method: 'POST', path: '/api/v1/memory/store', body }]);
    expect(closed()).toBe(1);
  });

  it('a key with slashes is one path segment', async () => {
    const { run, sent } = cli(() => ({ versions: [] }));
    await run('history', 'a/../b ?#%/history', '--caller', 'x&y');
    expect(sent[0]!.path).toBe('/api/v1/memory/facts/a%2F..%2Fb%20%3F%23%25%2Fhistory/history?caller=x%26y');
  });

  it('list follows cursors until the limit is reached', async () => {
    const page = (n: number) => Array.from({ length: n }, (_, i) => ({ namespace: `c${i}`, count: 1 }));
    const { run, sent } = cli(({ path }) => {
      const { searchParams } = new URL(path, 'http://x');
      return {
        callers: page(Number(searchParams.get('limit'))),
        next_cursor: `${searchParams.get('cursor')}+`,
      };
    });
    const { out } = await run('callers', '--limit', '250', '--json');
    expect(JSON.parse(out).callers).toHaveLength(250);
    expect(JSON.parse(out).next_cursor).toBe('null++');
    expect(sent.map(({ path }) => path.split('?')[1])).toEqual(['limit=200', 'limit=50&cursor=null%2B']);
  });

  it('token mint by an admin gives the default scopes unless --scope says more', async () => {
    const answer = ({ method }: SentRequest) =>
      method === 'GET'
        ? { scopes: ['admin'] }
        : { ...stored, token: 't', subject: 's', scopes: [], jti: 'j' };
    const usual = cli(answer);
    expect((await usual.run('token', 'mint')).out).toBe('t\n');
    expect(usual.sent.at(-1)!.body).toMatchObject({ scopes: ['memory:read'] });
    const wanted = cli(answer);
    await wanted.run('token', 'mint', '--scope', 'admin,memory:read');
    expect(wanted.sent.map(({ body }) => (body as { scopes: string[] }).scopes)).toEqual([
      ['admin', 'memory:read'],
    ]);
  });

  it('forget sends nothing for a wrong scope or without a confirmation', async () => {
    for (const argv of [
      ['forget', 'all'],
      ['forget', 'erase'],
      ['forget', 'tag:x'],
      ['forget', 'nonsense'],
    ]) {
      const { run, sent } = cli(() => ({}));
      expect((await run(...argv)).code, argv.join(' ')).toBe(2);
      expect(sent).toEqual([]);
    }
  });

  it('forget says on a terminal how many facts the scope names, and sends nothing after a no', async () => {
    const facets = { categories: [{ name: 'c', count: 30 }], tags: [{ name: 't', count: 7 }] };
    for (const [scope, count, answer] of [
      ['tag:t', '7 facts', 'n'],
      ['prefix:p', '30 facts', 'y'],
    ]) {
      const tty = () => Object.assign(new PassThrough(), { isTTY: true });
      const terminal = { in: tty(), out: new PassThrough(), err: tty() };
      const { run, sent } = cli(({ method }) => (method === 'GET' ? facets : { scope, deleted: 30 }), {
        terminal,
      });
      terminal.in.write(`${answer}\n`);
      await run('forget', scope!);
      expect(String(terminal.err.read())).toContain(`Forget "${scope}" (${count})?`);
      expect(sent.map(({ method }) => method)).toEqual(answer === 'y' ? ['GET', 'POST'] : ['GET']);
    }
  });

  it('token list collects the tokens of all pages', async () => {
    const token = { jti: 'a', subject: 's', scopes: [], expires_at: stored.expires_at, revoked_at: null };
    const page = (jti: string) => ({ tokens: [{ ...token, jti, last_used_at: null }] });
    const { run } = cli(({ path }) =>
      path.includes('cursor=200') ? page('second') : { ...page('first'), next_cursor: '200' },
    );
    const { tokens } = JSON.parse((await run('token', 'list', '--json')).out);
    expect(tokens.map(({ jti }: { jti: string }) => jti)).toEqual(['first', 'second']);
  });

  it('import numbers lines as in the file, across batches', async () => {
    const { run, sent } = cli(({ body }) => {
      const lines = String(body).trimEnd().split('\n').length;
      const failed = { line: lines, status: 'failed', error: { error: 'secret_detected', message: 'no' } };
      return { stored: lines - 1, unchanged: 0, skipped: 0, failed: 1, lines: [failed] };
    });
    const file = join(tmpdir(), `helmdeck-import-${process.pid}.jsonl`);
    await writeFile(file, ' {"key":"a","value":"b"}\n'.repeat(2_500));
    const { code, out } = await run('import', file, '--json').finally(() => rm(file));
    expect(code).toBe(7);
    expect(sent).toHaveLength(3);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ stored: 2_497, failed: 3 });
    expect(report.lines.map(({ line }: { line: number }) => line)).toEqual([1_000, 2_000, 2_500]);
  });
});

describe('recall', () => {
  const hit = (key: string, score: number) => ({
    key,
    kind: 'fact',
    category: 'ops',
    tags: [],
    score,
    confident: score > 0.5,
    snippet: `about ${key}`,
    highlights: [],
    updated_at: '2025-12-30T00:00:00Z',
    expires_at: stored.expires_at,
  });

  it('recall sends all words and options and prints the hits', async () => {
    const answer = { results: [hit('a', 0.9), hit('b', 0.1)], took_ms: 1, abstained: false };
    const { run, sent, closed } = cli(() => answer);
    const options = '--limit 3 --category c --tag t --kinds fact,pack --caller x --why'.split(' ');
    const { code, out, err } = await run('recall', 'two', 'words', ...options);
    const lines = '0.90  a  ops · 2 days ago\n  about a\n\n0.10  b  weak · ops · 2 days ago\n  about b\n';
    expect({ code, out, err }).toEqual({ code: 0, out: lines, err: '' });
    const query = 'q=two+words&limit=3&category=c&tag=t&kinds=fact%2Cpack&explain=1&caller=x';
    expect(sent.map(({ path }) => path)).toEqual([`/api/v1/memory/search?${query}`]);
    expect(JSON.parse((await run('recall', 'words', '--json')).out)).toEqual(answer);
    expect(closed()).toBe(2);
  });

  it('recall says when nothing was found and when embeddings were missing', async () => {
    const weak = { results: [hit('b', 0.1)], took_ms: 1, abstained: true, degraded: true };
    const { out, err } = await cli(() => weak).run('recall', 'words');
    expect(out).toMatch(/^Nothing found\. The closest matches:\n\n0\.10 {2}b {2}weak · /);
    expect(err).toContain('Searched by words only');
    const none = cli(() => ({ results: [], took_ms: 1, abstained: true }));
    expect(await none.run('recall', 'words')).toEqual({
      code: 0,
      out: 'Nothing found.\n',
      err: '',
    });
    expect(await none.run('recall')).toMatchObject({ code: 2, out: '' });
  });

  it('recall cuts a long query to the length of a URL', async () => {
    const { run, sent } = cli(() => ({ results: [], took_ms: 1, abstained: true }));
    await run('recall', 'word '.repeat(20_000));
    await run('recall', '😀語'.repeat(20_000));
    for (const { path } of sent) {
      expect(path.length).toBeLessThan(14_000);
      expect(new URL(path, 'http://x').searchParams.get('q')!.length).toBeGreaterThan(1_000);
    }
  });

  it('recall without words shows no scores', async () => {
    const { run } = cli(() => ({ results: [hit('a', 0)], took_ms: 1, abstained: false }));
    expect((await run('recall', '')).out).toBe('a  ops · 2 days ago\n  about a\n');
  });
});

it('advice on a stored fact is printed to stderr, never as part of the result', async () => {
  const { run } = cli(() => ({
    ...stored,
    similar: [
      { key: 'twin', score: 0.9 },
      { key: 'other', score: 0.8 },
    ],
    conflicts: [{ key: 'other', kind: 'number', mine: '2', theirs: '1\u001b\n0' }],
    echo: true,
  }));
  expect(await run('remember', 'k', 'new')).toEqual({
    code: 0,
    out: 'Remembered k  expires in 30 days\n',
    err: [
      '  conflicts with other: 1␛ 0 (this one: 2)',
      '  similar to twin',
      '  this text was recalled or forgotten a moment ago\n',
    ].join('\n'),
  });
  expect(await run('remember', 'k', 'new', '--json')).toMatchObject({ code: 0, err: '' });
});

describe('failures', () => {
  it('an error of the server is printed with its exit code and request id', async () => {
    const envelope = { error: 'precondition_failed', message: 'Changed.', hint: 'Again.', request_id: 'r1' };
    const { run, closed } = cli(() => Response.json(envelope, { status: 412 }));
    const json = await run('remember', 'k', 'v', '--json');
    expect(json).toMatchObject({ code: 6, out: '' });
    expect(JSON.parse(json.err)).toEqual(envelope);
    expect((await run('remember', 'k', 'v')).err).toBe('helmdeck: Changed.\n  Again.\n');
    expect(closed()).toBe(2);
  });

  it('a response that is not from Helmdeck is reported as such', async () => {
    const proxy = cli(() => new Response('<html>Bad gateway', { status: 502 }));
    expect(await proxy.run('stats')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is this a Helmdeck server'),
    });
    const page = cli(() => new Response('<html>Hello'));
    expect(await page.run('stats')).toMatchObject({ code: 1, err: expect.stringContaining('not JSON') });
    const moved = cli(() => new Response(null, { status: 301, headers: { location: 'https://h' } }));
    expect(await moved.run('stats')).toMatchObject({ code: 2, err: expect.stringContaining('https://h') });
  });

  it('a usage error exits with 2, as JSON with --json', async () => {
    const { run } = cli(() => ({}));
    for (const argv of [
      ['nope'],
      ['get'],
      ['list', '--sort', 'size'],
      ['list', '--limit', 'x'],
      ['--nope'],
    ]) {
      const { code, err } = await run(...argv, '--json');
      expect(code, argv.join(' ')).toBe(2);
      expect(JSON.parse(err)).toMatchObject({ error: 'invalid_input', reason: 'usage' });
    }
  });

  it('a file error names the file', async () => {
    const { run } = cli(() => ({}));
    expect(await run('import', '/nowhere/x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('/nowhere/x: no such file or folder.'),
    });
  });
});

describe('maintenance', () => {
  const sick = [{ name: 'Rows', status: 'fail' as const, message: 'One is bad.', fix: 'Purge.' }];

  it('doctor exits with 10 when a check fails', async () => {
    const { run } = cli(() => ({}), { doctor: async () => sick });
    expect(await run('doctor')).toMatchObject({
      code: 10,
      out: 'FAIL  Rows  One is bad.\n            → Purge.\n',
    });
    expect(JSON.parse((await run('doctor', '--json')).out)).toEqual({ ok: false, checks: sick });
  });

  it('doctor --purge-unreadable deletes nothing without a confirmation', async () => {
    let purged = 0;
    const found = { everything: true, namespaces: 2, rows: 9 };
    const { run } = cli(() => ({}), {
      doctor: async () => [],
      findOrphanedRows: async () => found,
      purgeOrphanedRows: async () => {
        purged++;
        return found;
      },
    });
    expect(await run('doctor', '--purge-unreadable')).toMatchObject({ code: 2 });
    expect(purged).toBe(0);
    const done = await run('doctor', '--purge-unreadable', '--yes');
    expect(done.out).toContain('Deleted 9 unreadable rows and 2 unreadable namespaces.');
    expect(purged).toBe(1);
  });

  it('clock --confirm shows the time of the server, and confirms it only after a yes', async () => {
    const { run, sent } = cli(({ path }) => ({
      now: '2027-03-01T00:00:00.000Z',
      trusted: path.endsWith('/confirm'),
    }));
    expect((await run('clock')).out).toContain('2027-03-01T00:00:00.000Z. It leapt');
    expect(await run('clock', '--confirm')).toMatchObject({ code: 2, out: '' });
    expect(sent.every(({ method }) => method === 'GET')).toBe(true);
    expect((await run('clock', '--confirm', '--yes')).out).toContain('What expired is deleted.');
    expect(sent.at(-1)).toMatchObject({ method: 'POST', path: '/api/v1/clock/confirm' });
  });

  it('backup prints why it failed', async () => {
    const { run } = cli(() => ({}), {
      backup: () => Promise.reject(new AppError('conflict', 'It exists.', { hint: 'Rename.' })),
    });
    expect(await run('backup', 'x')).toEqual({ code: 6, out: '', err: 'helmdeck: It exists.\n  Rename.\n' });
  });
});

it('every command has an example in its help, and "help" prints the same as "--help"', async () => {
  const { run } = cli(() => ({}));
  const namesIn = (help: string) =>
    [...help.slice(help.indexOf('\nCommands:')).matchAll(/^ {2}([a-z][a-z-]*) (?:\[|<| )/gm)].map(
      (match) => match[1]!,
    );
  const { out } = await run('--help');
  const names = [...out.matchAll(/^ {2}([a-z][a-z-]*) (?:\[|<| )/gm)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(25);
  for (const name of names.filter((each) => !['helmdeck', 'help'].includes(each))) {
    const help = await run(name, '--help');
    expect(await run('help', name)).toEqual(help);
    const below = help.out.includes('\nCommands:') ? namesIn(help.out).filter((each) => each !== 'help') : [];
    if (below.length === 0) expect(help, name).toMatchObject({ code: 0, out: expect.stringContaining('$ ') });
    for (const each of below) {
      const own = await run(name, each, '--help');
      expect(own, `${name} ${each}`).toMatchObject({ code: 0, out: expect.stringContaining('$ ') });
      expect(await run('help', name, each)).toEqual(own);
    }
  }
  expect(await run('help')).toEqual({ code: 0, out, err: '' });
  expect(await run('help', 'rember')).toMatchObject({ code: 2, err: expect.stringContaining('remember') });
  expect(await run('help', 'pack', 'nwe')).toMatchObject({ code: 2, err: expect.stringContaining('new') });
});
