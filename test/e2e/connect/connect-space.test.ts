import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { type ConnectSandbox, createConnectSandbox } from './connect-sandbox.ts';

// `helmdeck connect --space`: what a team shares, at the start of conversations and before prompts.

let server: TestServer;
let sandbox: ConnectSandbox;
let admin: Record<string, string>;
const asAdmin = (method: string, path: string, body?: object) =>
  server.call(undefined, method, `/api/v1/${path}`, body, admin);
beforeAll(async () => {
  server = await testServer({ socket: true });
  admin = { authorization: `Bearer ${await server.token('admin', { scopes: ['admin'] })}` };
  for (const slug of ['platform', 'secret']) {
    await asAdmin('POST', 'spaces', { slug });
    const value = `The ${slug} team deploys on Fridays.`;
    await asAdmin('POST', `memory/store?space=${slug}`, { key: 'deploy/day', value });
  }
});
afterAll(() => server.close());
afterEach(() => sandbox?.remove());

async function member(name: string, slug = 'platform') {
  sandbox = await createConnectSandbox(server, { subject: name });
  await asAdmin('PUT', `spaces/${slug}/grants/${name}`, { role: 'reader' });
  const fact = { key: 'deploy/day', value: 'I deploy on Mondays.' };
  await server.call(name, 'POST', '/api/v1/memory/store', fact);
}

/** Runs an installed command as the program does. */
async function output(command: string, input: object): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: sandbox.home };
  const running = promisify(execFile)('sh', ['-c', command], { env });
  running.child.stdin!.end(JSON.stringify(input));
  return (await running).stdout;
}

type Hooks = Record<string, { hooks: { command: string }[] }[]>;
const hooksIn = (...file: string[]) => JSON.parse(sandbox.read(...file)).hooks as Hooks;
const CLAUDE = ['.claude', 'settings.json'];

describe('helmdeck connect --space', () => {
  it('the hooks of Claude Code label what is from the space, and outlast a revoked grant', async () => {
    await member('ada');
    for (let times = 0; times < 2; times++)
      await sandbox.json('connect', 'claude-code', '--write', '--auto-recall', '--space', 'platform');
    const hooks = hooksIn(...CLAUDE);
    expect(hooks.SessionStart).toHaveLength(1);
    expect(hooks.UserPromptSubmit).toHaveLength(1);
    const start = hooks.SessionStart![0]!.hooks[0]!.command;
    expect(start).toMatch(/ hook claude-code SessionStart --spaces mine,platform$/);
    const atStart = await output(start, { hook_event_name: 'SessionStart', cwd: sandbox.home });
    expect(atStart).toContain('- platform: deploy/day: The platform team deploys on Fridays.');
    expect(atStart).toContain('- deploy/day: I deploy on Mondays.');
    expect(atStart).not.toContain('secret team');
    await asAdmin('DELETE', 'spaces/platform/grants/ada');
    const after = await output(start, { hook_event_name: 'SessionStart', cwd: sandbox.home });
    expect(after).toContain('- deploy/day: I deploy on Mondays.');
    expect(after).not.toContain('platform');
    await sandbox.json('connect', 'claude-code', '--write', '--auto-recall');
    expect(hooksIn(...CLAUDE).SessionStart![0]!.hooks[0]!.command).toMatch(/ SessionStart$/);
    await sandbox.json('connect', 'claude-code', '--remove', '--write');
    expect(sandbox.has(...CLAUDE)).toBe(false);
  });

  it('--space "*" survives the shell of a hook, and means every space of the person', async () => {
    await member('ben');
    await sandbox.json('connect', 'claude-code', '--write', '--auto-recall', '--space', '*');
    const [prompt] = hooksIn(...CLAUDE).UserPromptSubmit!;
    expect(prompt!.hooks[0]!.command).toMatch(/ UserPromptSubmit --spaces '\*'$/);
    const [start] = hooksIn(...CLAUDE).SessionStart!;
    const text = await output(start!.hooks[0]!.command, { hook_event_name: 'SessionStart' });
    expect(text).toContain('- platform: deploy/day');
    expect(text).not.toContain('secret team');
    await sandbox.json('connect', 'claude-code', '--remove', '--write');
    expect(sandbox.has(...CLAUDE)).toBe(false);
  });

  it('a space that was not granted, or is misspelled, is refused before anything is written', async () => {
    await member('cleo');
    for (const slug of ['secret', 'platfrom']) {
      const { code, err } = await sandbox.run(
        'connect',
        'claude-code',
        '--write',
        '--auto-recall',
        '--space',
        slug,
      );
      expect(code, slug).toBe(5);
      expect(err).toContain('There is no such space, or you have no access to it.');
    }
    expect(sandbox.has(...CLAUDE)).toBe(false);
    const alone = await sandbox.run('connect', 'claude-code', '--space', 'platform');
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--space goes with --auto-recall')]);
  });

  it('programs without hooks for prompts are told to pass the space, and their start hook has it', async () => {
    await member('dora');
    await sandbox.json('connect', 'cursor', '--write', '--auto-recall', '--space', 'platform');
    expect(sandbox.read('work', 'orchard', '.cursor', 'rules', 'helmdeck.mdc')).toContain(
      'Pass `space: "mine,platform"` to `memory_recall`',
    );
    await sandbox.json('connect', 'copilot-cli', '--write', '--auto-recall', '--space', 'platform');
    const { hooks } = JSON.parse(sandbox.read('.copilot', 'hooks', 'helmdeck.json'));
    expect(await output(hooks.sessionStart[0].bash, {})).toContain('- platform: deploy/day');
    await sandbox.json('connect', 'copilot-cli', '--remove', '--write');
    expect(sandbox.has('.copilot', 'hooks', 'helmdeck.json')).toBe(false);
  });

  it('the OpenClaw plugin gets the spaces as a setting, which --remove takes away', async () => {
    await member('eve');
    const plugin = { enabled: true, config: {} };
    const file = ['.openclaw', 'openclaw.json'];
    sandbox.put(JSON.stringify({ plugins: { entries: { 'openclaw-helmdeck-memory': plugin } } }), ...file);
    const settings = () => JSON.parse(sandbox.read(...file)).plugins.entries['openclaw-helmdeck-memory'];
    await sandbox.json('connect', 'openclaw', '--write', '--auto-recall', '--space', 'platform');
    expect(settings().config).toEqual({ autoRecall: true, spaces: 'mine,platform' });
    await sandbox.json('connect', 'openclaw', '--remove', '--write');
    expect(settings()).toEqual(plugin);
  });
});

it('context --spaces prints what is from a space under its name', async () => {
  await member('flo');
  const { text } = await sandbox.json<{ text: string }>('context', '--spaces', 'mine,platform');
  expect(text).toContain('- platform: deploy/day: The platform team deploys on Fridays.');
  expect((await sandbox.json<{ text: string }>('context')).text).not.toContain('platform');
  expect((await sandbox.run('context', '--spaces', 'secret')).code).toBe(5);
});
