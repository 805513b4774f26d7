import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from '../../../engine/pack/pack.ts';
import { type TestServer, testServer } from '../../../testing/index.ts';
import type { CliDeps } from '../deps.ts';
import { createCli } from '../program.ts';

const echo = definePack({
  name: 'test.echo',
  version: 'v1',
  description: 'Says it again.',
  input: z.strictObject({ say: z.string() }),
  output: z.object({ said: z.string() }),
  memory: { cache: { ttlSeconds: 60 } },
  handler: ({ input }) => ({ said: input.say }),
});
const later = definePack({
  name: 'test.later',
  version: 'v1',
  description: 'Says it later.',
  input: z.strictObject({ fail: z.boolean().optional() }),
  output: z.object({ said: z.string() }),
  async: true,
  async handler({ input }) {
    if (input.fail) throw new Error('no');
    return { said: 'at last' };
  },
});

let mayGoOn = false;
const wait = definePack({
  name: 'test.wait',
  version: 'v1',
  description: 'Waits until it may go on.',
  input: z.strictObject({}),
  output: z.object({ said: z.string() }),
  async handler({ signal }) {
    if (!mayGoOn) await sleep(60_000, undefined, { signal });
    return { said: 'on' };
  },
});

let server: TestServer;
let embedded: true | undefined;
let folder: string;
beforeAll(async () => {
  server = await testServer({ packs: [echo, later, wait] });
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-cli-packs-'));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The commands with a real server. */
async function cli(argv: string[], stdin = '') {
  const terminal = { in: new PassThrough(), out: new PassThrough(), err: new PassThrough() };
  terminal.in.end(stdin);
  const deps = {
    terminal,
    version: '0',
    now: Date.now,
    scopes: [],
    defaultScopes: [],
    onInterrupt: () => () => {},
    connect: async () => ({
      fetch: (path: string, init: RequestInit = {}) =>
        server.call(
          'ada',
          init.method ?? 'GET',
          path,
          init.body as string | undefined,
          init.headers as Record<string, string>,
        ),
      close: async () => {},
      embedded,
    }),
  } as unknown as CliDeps;
  const code = await createCli(deps).run(argv);
  return { code, out: String(terminal.out.read() ?? ''), err: String(terminal.err.read() ?? '') };
}

describe('helmdeck run', () => {
  it('run takes its input as JSON, from a file and from stdin', async () => {
    const file = join(folder, 'input.json');
    writeFileSync(file, '{"say":"file"}');
    const said = async (input: string, stdin?: string) =>
      JSON.parse((await cli(['run', 'test.echo', '--input', input], stdin)).out) as object;
    expect(await said('{"say":"text"}')).toEqual({ said: 'text' });
    expect(await said(`@${file}`)).toEqual({ said: 'file' });
    expect(await said('-', '{"say":"stdin"}')).toEqual({ said: 'stdin' });
  });

  it('run says when a result is cached, and --no-cache runs the pack again', async () => {
    const argv = ['run', 'test.echo', '--input', '{"say":"again"}'];
    await cli(['cache', 'clear']); // what other tests left there
    await cli(argv);
    expect((await cli(argv)).err).toContain('--no-cache');
    const fresh = await cli([...argv, '--no-cache', '--json']);
    expect(JSON.parse(fresh.out)).toMatchObject({ cache: { status: 'bypass' } });
    expect(JSON.parse((await cli(['cache', 'clear', 'test.echo', '--json'])).out)).toMatchObject({
      deleted: 1,
    });
    expect((await cli(['cache', 'clear'])).out).toBe('Forgot 0 cached results.\n');
  });

  it('run waits for a job', async () => {
    expect(JSON.parse((await cli(['run', 'test.later'])).out)).toEqual({ said: 'at last' });
    const failed = await cli(['run', 'test.later', '--input', '{"fail":true}']);
    expect(failed).toMatchObject({ code: 9, out: '' });
    expect(failed.err).toContain('test.later failed');
  });

  it.each([
    [['run', 'test.echo', '--input', '[1]'], 2],
    [['run', 'test.echo', '--input', '{nonsense'], 2],
    [['run', 'test.echo', '--input', '@/nowhere/x.json'], 2],
    [['run', 'test.echo'], 2],
    [['run', 'test.none'], 5],
    [['run', 'test.echo', '--input', '{"say":"x"}', '--pack-version', 'v9'], 5],
    [['run', 'test.echo', '--input', '{"say":"new"}', '--session', 'sess_x'], 10],
  ])('%j exits with %i', async (argv, code) => {
    expect((await cli(argv)).code).toBe(code);
  });
});

describe('helmdeck pack list', () => {
  it('pack list shows every pack', async () => {
    const { out } = await cli(['pack', 'list']);
    expect(out).toMatch(/^PACK +VERSION +YOU MAY +WHAT IT DOES/);
    expect(out).toMatch(/^test\.echo +v1 +yes +Says it again\.$/m);
    expect(JSON.parse((await cli(['pack', 'list', '--json'])).out)).toContainEqual(
      expect.objectContaining({ name: 'helmdeck.memory_store', allowed: true }),
    );
  });
});

describe('helmdeck pipeline', () => {
  const define = async (pack: string, input: object) => {
    const body = { name: 'mine', steps: [{ id: 'only', pack, input }] };
    const made = await server.call('ada', 'POST', '/api/v1/pipelines', body);
    return ((await made.json()) as { id: string }).id;
  };

  it('pipeline run starts a run and follows it to its end with --follow', async () => {
    const id = await define('test.echo', { say: '${{ inputs.word }}' });
    expect((await cli(['pipeline', 'list'])).out).toContain(id);
    const input = ['--input', '{"word":"hi"}'];
    expect((await cli(['pipeline', 'run', id, ...input])).out).toMatch(/^run_[0-9a-f]{16}\n$/);
    const followed = await cli(['pipeline', 'run', id, ...input, '--follow']);
    expect(JSON.parse(followed.out)).toEqual({ said: 'hi' });
    expect(followed.err).toContain('succeeded  only (test.echo)');
  });

  it('pipeline run waits for the run when no server runs', async () => {
    const id = await define('test.echo', { say: 'inside' });
    embedded = true;
    const { out } = await cli(['pipeline', 'run', id]).finally(() => {
      embedded = undefined;
    });
    expect(JSON.parse(out)).toEqual({ said: 'inside' });
  });

  it('pipeline runs are listed, cancelled and resumed', async () => {
    const id = await define('test.wait', {});
    const run = (await cli(['pipeline', 'run', id])).out.trim();
    expect((await cli(['pipeline', 'runs', id])).out).toMatch(
      new RegExp(`^${run} +${id} +(pending|running) `, 'm'),
    );
    expect((await cli(['pipeline', 'cancel', run])).out).toBe('cancelled\n');
    expect((await cli(['pipeline', 'cancel', run])).code).not.toBe(0);
    expect((await cli(['pipeline', 'runs'])).out).toMatch(new RegExp(`^${run} .*cancelled`, 'm'));
    mayGoOn = true;
    expect(JSON.parse((await cli(['pipeline', 'resume', run, '--follow'])).out)).toEqual({ said: 'on' });
    expect((await cli(['pipeline', 'resume', run])).code).not.toBe(0);
  });

  it('pipeline run exits with 1 when the run does not succeed', async () => {
    const id = await define('test.echo', {});
    const failed = await cli(['pipeline', 'run', id, '--follow']);
    expect(failed.code).toBe(1);
    expect(failed.err).toContain('failed     only (test.echo)');
    expect((await cli(['pipeline', 'run', 'pipe_none'])).code).toBe(5);
  });
});
