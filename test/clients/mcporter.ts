import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { check } from './checks.ts';
import { createClientHome } from './client-home.ts';
import { installedClient, pathWithNode } from './installed-client.ts';
import { startRecordedServer } from './recorded-server.ts';

const SCRIPTS = resolve(import.meta.dirname, '../../scripts');
const OPENCLAW = '.openclaw/openclaw.json';

/** Runs the scripts that copy OpenClaw's token to mcporter, with the real mcporter. */
export async function mcporter(version: string): Promise<void> {
  const bin = join(dirname(installedClient('mcporter', version)), '.bin');
  const server = await startRecordedServer();
  const home = createClientHome({
    PATH: `${bin}:${pathWithNode()}`,
    HELMDECK_URL: server.url,
    HELMDECK_QMD_URL: `${server.url}/api/v1/mcp/qmd/sse`,
  });
  const writeOpenclawToken = async (claims: { ttlSeconds?: number }) => {
    const authorization = `Bearer ${await server.helmdeck.token('ada', { client: 'openclaw', ...claims })}`;
    home.write(OPENCLAW, JSON.stringify({ mcp: { servers: { helmdeck: { headers: { authorization } } } } }));
  };
  const script = (name: string) => home.run(join(SCRIPTS, name), ['--local']);
  try {
    await check("mcporter uses OpenClaw's token and finds a fact through the QMD endpoint", async () => {
      await writeOpenclawToken({});
      const registered = await script('openclaw-register-qmd.sh');
      assert.equal(registered.code, 0, registered.all);
      const smoke = await script('smoke-memory-bridge.sh');
      assert.match(smoke.out, /found it through mcporter/, smoke.all);
      assert.ok(
        server.calls.some((call) => call.startsWith('POST /api/v1/mcp/qmd/sse')),
        String(server.calls),
      );
    });
    await check('mcporter uses a rotated token after the script ran again', async () => {
      const before = readFileSync(join(home.dir, '.mcporter/mcporter.json'), 'utf8');
      await writeOpenclawToken({ ttlSeconds: 7200 });
      await script('openclaw-register-qmd.sh');
      assert.notEqual(readFileSync(join(home.dir, '.mcporter/mcporter.json'), 'utf8'), before);
      assert.equal((await script('smoke-memory-bridge.sh')).code, 0);
      assert.ok(!readFileSync(join(home.dir, OPENCLAW), 'utf8').includes('qmd'));
    });
    await check('the smoke test leaves no fact behind', async () => {
      const left = await server.helmdeck.call('ada', 'GET', '/api/v1/memory/facts');
      assert.deepEqual(((await left.json()) as { facts: unknown[] }).facts, []);
    });
  } finally {
    await home.remove();
    await server.close();
  }
}
