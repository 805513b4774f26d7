import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { BIN } from '../helmdeck-process.ts';
import { type ConnectSandbox, createConnectSandbox } from './connect-sandbox.ts';

let server: TestServer;
let sandbox: ConnectSandbox;
let others: Server[] = [];
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());
afterEach(() => {
  sandbox?.remove();
  for (const other of others) {
    other.closeAllConnections();
    other.close();
  }
  others = [];
});

const PROMPT = 'Hi! How do we deploy with Konflux, again?';
const FACT = { key: 'deploy/konflux', value: 'We deploy through Konflux.' };

/** Runs the built program as a hook, as the user of the sandbox. */
async function hook(input: object | string, ...args: string[]) {
  const child = spawn(process.execPath, [BIN, 'hook', ...args], {
    cwd: sandbox.home,
    env: { PATH: process.env.PATH, HOME: sandbox.home },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  const [code] = await once(child, 'close');
  return { code, out, err };
}

/** A server of which a test decides what it answers. */
async function fakeServer(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
) {
  const fake = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => answer(request, response, body));
  });
  others.push(fake);
  await new Promise<void>((done) => fake.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
}

/** Points the connected program at another server. */
const moveTo = (url: string) =>
  sandbox.put(sandbox.read('.claude.json').replace(server.url, url), '.claude.json');

async function connected(subject: string, program = 'claude-code', ...options: string[]) {
  sandbox = await createConnectSandbox(server, { subject });
  await server.call(subject, 'POST', '/api/v1/memory/store', FACT);
  // A hook waits half a second; on a busy machine the first search of a memory takes longer.
  await server.call(subject, 'POST', '/api/v1/memory/prompt-notes', { prompt: PROMPT });
  return sandbox.json<{ token: { jti: string } }>('connect', program, '--write', ...options);
}

describe('a hook before a prompt', () => {
  it.each([
    ['claude-code', 'UserPromptSubmit'],
    ['codex', 'UserPromptSubmit'],
    ['gemini-cli', 'BeforeAgent'],
  ])('of %s prints exactly what the program expects, and once per session', async (program, event) => {
    await connected(`before-${program}`, program);
    const input = { session_id: 's', hook_event_name: event, prompt: PROMPT, cwd: sandbox.home };
    const { out, code, err } = await hook(input, program, event);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual({
      hookSpecificOutput: {
        hookEventName: event,
        additionalContext: expect.stringContaining('- deploy/konflux: We deploy through Konflux.'),
      },
      systemMessage: 'helmdeck: 1 note (deploy/konflux)',
    });
    expect(await hook(input, program, event)).toEqual({ code: 0, out: '', err: '' });
  });

  it('says to any server what the conversation was told, until it starts again', async () => {
    await connected('told');
    const input = { session_id: 's', prompt: PROMPT };
    expect((await hook(input, 'claude-code', 'UserPromptSubmit')).out).toContain('Konflux');
    const bodies: string[] = [];
    const other = await fakeServer((_, response, body) => {
      bodies.push(body);
      response.end(JSON.stringify({ text: '', keys: [], told: [] }));
    });
    moveTo(other);
    await hook(input, 'claude-code', 'UserPromptSubmit');
    await hook({ ...input, session_id: 't' }, 'claude-code', 'UserPromptSubmit');
    await hook({ session_id: 's', source: 'compact' }, 'claude-code', 'SessionStart');
    await hook(input, 'claude-code', 'UserPromptSubmit');
    const told = bodies.map((body) => body && (JSON.parse(body) as { told?: string[] }).told);
    expect(told).toEqual([[expect.stringMatching(/^[\w-]{12}$/)], undefined, '', undefined]);
  });

  it('prints nothing and exits with 0 if the server is down, slow or broken, or the token revoked', async () => {
    const { token } = await connected('trouble');
    const input = { session_id: 's', prompt: PROMPT };
    const nothing = { code: 0, out: '', err: '' };
    const down = await fakeServer(() => {});
    const notes = JSON.stringify({ text: 'too late or not meant', receipt: 'helmdeck: 1 note (x)' });
    for (const url of [
      await fakeServer(() => {}), // never answers
      await fakeServer((_, response) => setTimeout(() => response.end(notes), 4_000)),
      await fakeServer((_, response) => response.writeHead(401).end(notes)),
      await fakeServer((_, response) => response.end('<html>')),
      await fakeServer((_, response) => response.writeHead(500).end('{"error":"internal"}')),
      await fakeServer((request) => request.socket.destroy()),
    ]) {
      moveTo(url);
      expect(await hook(input, 'claude-code', 'UserPromptSubmit')).toEqual(nothing);
      sandbox.put(sandbox.read('.claude.json').replace(url, server.url), '.claude.json');
    }
    await new Promise((done) => others[0]!.close(done));
    moveTo(down);
    expect(await hook(input, 'claude-code', 'UserPromptSubmit')).toEqual(nothing);
    sandbox.put(sandbox.read('.claude.json').replace(down, server.url), '.claude.json');
    expect((await hook(input, 'claude-code', 'UserPromptSubmit')).out).toContain('Konflux');
    await sandbox.json('token', 'revoke', token.jti);
    expect(await hook({ ...input, session_id: 't' }, 'claude-code', 'UserPromptSubmit')).toEqual(nothing);
  });

  it('prints nothing for input, programs and events that it does not know, and for a program that is not connected', async () => {
    await connected('unknown');
    for (const [input, ...args] of [
      ['no json', 'claude-code', 'UserPromptSubmit'],
      ['', 'claude-code', 'UserPromptSubmit'],
      ['{}', 'claude-code', 'UserPromptSubmit'],
      ['{"prompt":7}', 'claude-code', 'UserPromptSubmit'],
      [JSON.stringify({ prompt: PROMPT }), 'claude-code', 'constructor'],
      [JSON.stringify({ prompt: PROMPT }), 'toString', 'UserPromptSubmit'],
      [JSON.stringify({ prompt: PROMPT }), 'codex', 'UserPromptSubmit'],
      ['{}'],
    ] as const)
      expect(await hook(input, ...args), args.join(' ')).toEqual({ code: 0, out: '', err: '' });
  });

  it('notes that the program sent what cannot be read, and does not call the server unreachable', async () => {
    await connected('unreadable', 'claude-code', '--auto-capture');
    const ended = (path: string) => JSON.stringify({ session_id: 's', transcript_path: path });
    for (const [input, outcome] of [
      ['no json', 'unreadable'],
      [ended(sandbox.path('never-written.jsonl')), 'silent'],
      [ended(sandbox.path('.')), 'unreadable'],
    ] as const) {
      await hook(input, 'claude-code', 'SessionEnd');
      const lastRun = sandbox.read('.local/state/helmdeck/hooks/claude-code.json');
      expect(JSON.parse(lastRun)).toMatchObject({ outcome });
    }
  });
});

describe('a hook that captures', () => {
  it('sends each new turn once, with project and session, and sends again what the server did not take', async () => {
    await connected('capture');
    const sent: { turns: { text: string }[]; project: string; session_id: string }[] = [];
    let status = 404;
    moveTo(
      await fakeServer((request, response, body) => {
        expect(request.url).toBe('/api/v1/memory/harvest');
        if (status === 200) sent.push(JSON.parse(body));
        response.writeHead(status).end('{}');
      }),
    );
    const transcript = sandbox.path('chat.jsonl');
    const say = (content: string) =>
      appendFileSync(transcript, `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
    mkdirSync(sandbox.path('shop'));
    const input = { session_id: 's', transcript_path: transcript, cwd: sandbox.path('shop') };
    const nothing = { code: 0, out: '', err: '' };
    say('Use pnpm here.');
    expect(await hook(input, 'claude-code', 'PreCompact')).toEqual(nothing);
    expect(sent).toEqual([]);
    status = 200;
    expect(await hook(input, 'claude-code', 'PreCompact')).toEqual(nothing);
    say('And tabs.');
    expect(await hook(input, 'claude-code', 'SessionEnd')).toEqual(nothing);
    expect(await hook(input, 'claude-code', 'SessionEnd')).toEqual(nothing);
    expect(sent.map(({ turns }) => turns.map(({ text }) => text))).toEqual([
      ['Use pnpm here.'],
      ['And tabs.'],
    ]);
    expect(sent[0]).toMatchObject({ project: 'shop', session_id: 's' });
  });

  it('asks the agent once with --ask, and never while the agent goes on because of a hook', async () => {
    await connected('asking');
    moveTo(await fakeServer((_, response) => response.end('{}')));
    const transcript = sandbox.path('chat.jsonl');
    const say = () =>
      appendFileSync(transcript, '{"type":"user","message":{"role":"user","content":"Tabs."}}\n');
    const input = { session_id: 's', transcript_path: transcript };
    say();
    const active = { ...input, stop_hook_active: true };
    expect((await hook(active, 'claude-code', 'Stop', '--ask')).out).toBe('');
    say();
    expect((await hook(input, 'claude-code', 'Stop')).out).toBe('');
    say();
    expect(JSON.parse((await hook(input, 'claude-code', 'Stop', '--ask')).out)).toEqual({
      decision: 'block',
      reason: expect.stringContaining('memory_store'),
    });
    say();
    expect((await hook(input, 'claude-code', 'Stop', '--ask')).out).toBe('');
  });
});

it('the entry of hooks loads no package, no server and no other command', () => {
  const src = resolve(import.meta.dirname, '../../../packages/helmdeck/src');
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8').replaceAll(/^import type .*?;$/gms, '');
    for (const [, from] of text.matchAll(/(?:from|import\()\s*'([^']+)'/g))
      if (from!.startsWith('.')) visit(join(dirname(file), from!));
      else if (!from!.startsWith('node:')) seen.add(from!);
  };
  visit(join(src, 'server/process/hook.ts'));
  const loaded = [...seen].map((file) => (file.startsWith('/') ? relative(src, file) : file));
  expect(loaded.filter((file) => !/^(surfaces\/cli\/(hook|connect)\/|errors\.ts)/.test(file)).sort()).toEqual(
    [
      'server/bundles/hook-process.ts',
      'server/process/hook.ts',
      'server/process/user-folder.ts',
      'smol-toml', // of Codex, loaded for it alone
    ],
  );
});

describe('connect --auto-recall --auto-capture', () => {
  const FILES = {
    'claude-code': ['.claude', 'settings.json'],
    codex: ['.codex', 'hooks.json'],
    'gemini-cli': ['.gemini', 'settings.json'],
  };
  const EVENTS = {
    'claude-code': ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'SessionEnd'],
    codex: ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'Stop'],
    'gemini-cli': ['SessionStart', 'BeforeAgent', 'PreCompress', 'SessionEnd'],
  };
  type Program = keyof typeof FILES;
  const PROGRAMS = Object.keys(FILES) as Program[];
  const hooksOf = (program: Program) =>
    JSON.parse(sandbox.read(...FILES[program])).hooks as Record<string, { hooks: { command: string }[] }[]>;
  const ALL = ['--auto-recall', '--auto-capture'];

  it.each(PROGRAMS)(
    '%s: installs one hook per event, changes nothing the second time, and --remove leaves no trace',
    async (program) => {
      await connected(`install-${program}`, program, ...ALL);
      const hooks = hooksOf(program);
      expect(Object.keys(hooks).sort()).toEqual(EVENTS[program].toSorted());
      for (const [event, groups] of Object.entries(hooks)) {
        expect(groups).toHaveLength(1);
        expect(groups[0]!.hooks[0]!.command).toMatch(new RegExp(` hook ${program} ${event}$`));
      }
      const before = sandbox.read(...FILES[program]);
      await sandbox.json('connect', program, '--write', ...ALL);
      expect(sandbox.read(...FILES[program])).toBe(before);
      await sandbox.json('connect', program, '--remove', '--write');
      expect(sandbox.has(...FILES[program])).toBe(false);
    },
  );

  it.each(PROGRAMS)(
    '%s: hooks of the person stay byte for byte, also in one group with ours',
    async (program) => {
      sandbox = await createConnectSandbox(server, { subject: `own-${program}` });
      const event = EVENTS[program][1]!;
      const mine = `{\n    "hooks": {\n        "${event}": [ { "hooks": [ {"type": "command", "command": "echo mine"} ] } ],\n        "Notification": []\n    },\n    "more": [1,2]\n}\n`;
      sandbox.put(mine, ...FILES[program]);
      await sandbox.json('connect', program, '--write', ...ALL);
      expect(hooksOf(program)[event]).toHaveLength(2);
      await sandbox.json('connect', program, '--remove', '--write');
      expect(sandbox.read(...FILES[program])).toBe(mine);
      await sandbox.json('connect', program, '--write', '--auto-recall');
      const merged = JSON.parse(sandbox.read(...FILES[program]));
      const [own, ours] = merged.hooks[event];
      merged.hooks[event] = [{ hooks: [...own.hooks, ...ours.hooks] }];
      sandbox.put(JSON.stringify(merged), ...FILES[program]);
      await sandbox.json('connect', program, '--write', '--auto-recall');
      expect(hooksOf(program)[event]).toEqual([{ hooks: [...own.hooks, ...ours.hooks] }]);
      await sandbox.json('connect', program, '--remove', '--write');
      expect(hooksOf(program)[event]).toEqual([own]);
    },
  );

  it('replaces the hook of an earlier version, and --ask comes and goes', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'earlier' });
    const old = {
      type: 'command',
      command: '/x/node /x/helmdeck.js context --client claude-code --hook',
      timeout: 15,
    };
    sandbox.put(
      JSON.stringify({ hooks: { SessionStart: [{ matcher: 'startup', hooks: [old] }] } }),
      '.claude',
      'settings.json',
    );
    await sandbox.json('connect', 'claude-code', '--write', ...ALL, '--ask');
    const { SessionStart, Stop } = hooksOf('claude-code');
    expect(SessionStart).toHaveLength(1);
    expect(SessionStart![0]!.hooks[0]!.command).toMatch(/ hook claude-code SessionStart$/);
    expect(Stop![0]!.hooks[0]!.command).toMatch(/ hook claude-code Stop --ask$/);
    await sandbox.json('connect', 'claude-code', '--write', ...ALL);
    expect(hooksOf('claude-code').Stop ?? []).toEqual([]);
  });

  it('without --write nothing is changed, and --ask alone is refused', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'dry' });
    const { out } = await sandbox.run('connect', 'claude-code', ...ALL);
    expect(out).toContain('hook claude-code UserPromptSubmit');
    expect(sandbox.has('.claude', 'settings.json')).toBe(false);
    expect((await sandbox.run('connect', 'claude-code', '--ask')).err).toContain('--auto-capture');
  });

  it('--status says what is installed, whether the server answers, and when a hook last ran', async () => {
    const { token } = await connected('status', 'claude-code', '--auto-recall');
    const status = async () =>
      (await sandbox.json<{ programs: Record<string, unknown>[] }>('connect', '--status')).programs;
    expect(await status()).toEqual([
      {
        client: 'claude-code',
        connected: true,
        address: `${server.url}/api/v1/mcp/memory`,
        server: 'ok',
        auto_recall: true,
        auto_capture: false,
      },
    ]);
    await sandbox.json('token', 'revoke', token.jti);
    expect(await status()).toMatchObject([{ server: 'refused' }]);
    await sandbox.json('connect', 'claude-code', '--remove', '--write');
    expect(await status()).toEqual([]);
    expect((await sandbox.run('connect', '--status')).out).toContain('No program is connected');
    expect((await sandbox.run('connect')).err).toContain('--status');
  });

  it('--status knows the start hooks of other programs and when they ran, and instructions in a file', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'others' });
    for (const program of ['qwen-code', 'copilot-cli', 'cline'])
      await sandbox.run('connect', program, '--write', '--auto-recall');
    expect(await sandbox.json('connect', '--status')).toMatchObject({
      programs: [
        { client: 'copilot-cli', auto_recall: true },
        { client: 'qwen-code', auto_recall: true },
        { client: 'cline', recall_lines: true },
      ],
    });
    await sandbox.run('context', '--client', 'qwen-code', '--hook');
    const rows = (await sandbox.run('connect', '--status')).out.split('\n');
    expect(rows.find((row) => row.startsWith('qwen-code'))).toMatch(/ ok +on +– .*SessionStart, said/);
    expect(rows.find((row) => row.startsWith('copilot-cli'))).toMatch(/ ok +on +– +never/);
    expect(rows.find((row) => row.startsWith('cline'))).toMatch(/ ok +instructions +– +–/);
    const { tokens } = await sandbox.json<{ tokens: { jti: string; client?: string }[] }>('token', 'list');
    await sandbox.json('token', 'revoke', tokens.find(({ client }) => client === 'qwen-code')!.jti);
    await sandbox.run('context', '--client', 'qwen-code', '--hook');
    expect((await sandbox.run('connect', '--status')).out).toMatch(
      /qwen-code +refused .*SessionStart, refused/,
    );
  });
});
