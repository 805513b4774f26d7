import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { eventually } from './checks.ts';
import { type ClientHome, createClientHome, type RunResult } from './client-home.ts';
import type { FakeModel } from './fake-model.ts';
import { installedClient, pathWithNode } from './installed-client.ts';

/** The result of a tool called through the gateway. */
export interface ToolResult {
  results?: { path: string; corpus?: string; kind?: string; score: number; snippet: string }[];
  text?: string;
  warning?: string;
  error?: string;
}

export interface OpenClawHome {
  dir: string;
  /** The home folder of the user. */
  home: ClientHome;
  run(...args: string[]): Promise<RunResult>;
  startGateway(): Promise<void>;
  invoke(tool: string, args: Record<string, unknown>, session?: string): Promise<ToolResult>;
  remove(): Promise<void>;
}

const GATEWAY_TOKEN = 'gateway-token-of-a-test';
const PLUGIN = resolve(import.meta.dirname, '../../integrations/openclaw');

/** A new OpenClaw installation with a local note in MEMORY.md. */
export async function createOpenClawHome(
  version: string,
  settings: Record<string, unknown>,
  env: Record<string, string> = {},
): Promise<OpenClawHome> {
  const program = join(installedClient('openclaw', version), 'openclaw.mjs');
  const home = createClientHome({ OPENCLAW_NO_AUTO_UPDATE: '1', ...env });
  const port = await freePort();
  home.write(
    '.openclaw/openclaw.json',
    JSON.stringify({
      gateway: { mode: 'local', port, auth: { mode: 'token', token: GATEWAY_TOKEN } },
      update: { checkOnStart: false },
      ...settings,
    }),
  );
  home.write(
    '.openclaw/workspace/MEMORY.md',
    '# Notes\nThe konflux pipeline belongs to the platform team.\n',
  );
  home.write('.openclaw/workspace/memory/food.md', 'I am allergic to peanuts.\n');
  const url = `http://127.0.0.1:${port}`;
  return {
    dir: home.dir,
    home,
    run: (...args) => home.run(program, args),
    async startGateway() {
      const { child, output } = home.start(program, [
        'gateway',
        'run',
        '--port',
        String(port),
        '--bind',
        'loopback',
      ]);
      await eventually(
        async () => {
          if (child.exitCode !== null) throw new Error(output().slice(-2_000));
          return (await fetch(`${url}/healthz`)).ok;
        },
        (ok) => ok,
        300_000,
      );
    },
    async invoke(tool, args, sessionKey) {
      const response = await fetch(`${url}/tools/invoke`, {
        method: 'POST',
        headers: { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ tool, args, sessionKey }),
      });
      const { result, error } = (await response.json()) as {
        result?: { details: ToolResult };
        error?: unknown;
      };
      if (!result) throw new Error(`${tool}: ${JSON.stringify(error)}`);
      return result.details;
    },
    remove: home.remove,
  };
}

export function modelSettings({ url }: FakeModel): Record<string, unknown> {
  const models = [{ id: 'fake', name: 'fake', contextWindow: 128_000, maxTokens: 1_000 }];
  const provider = { baseUrl: `${url}/v1`, apiKey: 'none', api: 'openai-completions', models };
  return {
    models: { providers: { test: provider } },
    agents: { defaults: { model: { primary: 'test/fake' } } },
  };
}

export async function installPlugin(home: OpenClawHome, flags: readonly string[]): Promise<void> {
  const { all } = await home.run(
    'plugins',
    'install',
    '--force',
    ...flags,
    `npm-pack:${packPlugin(home.dir)}`,
  );
  assert.match(all, /Installed plugin: openclaw-helmdeck-memory/);
}

/** Packs the plugin as npm publishes it. */
function packPlugin(into: string): string {
  const npm = spawnSync('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', into], {
    cwd: PLUGIN,
    encoding: 'utf8',
    env: { ...process.env, PATH: pathWithNode() },
  });
  if (npm.status !== 0) throw new Error(npm.stderr);
  const [packed] = JSON.parse(npm.stdout.slice(npm.stdout.indexOf('['))) as [{ filename: string }];
  return join(into, packed.filename);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((ready) => probe.listen(0, '127.0.0.1', ready));
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}
