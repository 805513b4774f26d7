import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { check } from './checks.ts';
import { createFreshHome } from './fresh-home.ts';
import { installedClient, pathWithNode } from './installed-client.ts';
import { startRecordedServer } from './recorded-server.ts';

const SCRIPTS = resolve(import.meta.dirname, '../../scripts');
const OPENCLAW = '.openclaw/openclaw.json';

/** The scripts that give mcporter OpenClaw's token, with the real mcporter. */
export async function mcporter(version: string): Promise<void> {
  const bin = join(dirname(installedClient('mcporter', version)), '.bin');
  const server = await startRecordedServer();
  const home = createFreshHome({
    PATH: `${bin}:${pathWithNode()}`,
    HELMDECK_URL: server.url,
    HELMDECK_QMD_URL: `${server.url}/api/v1/mcp/qmd/sse`,
  });
  const openclawHas = async (claims: { ttlSeconds?: number }) => {
    const authorization = `Bearer ${await server.helmdeck.token('ada', { client: 'openclaw', ...claims })}`;
    home.write(OPENCLAW, JSON.stringify({ mcp: { servers: { helmdeck: { headers: { authorization } } } } }));
  };
  const script = (name: string) => home.run(join(SCRIPTS, name), ['--local']);
  try {
    await check("takes OpenClaw's token and finds a fact through the QMD endpoint", async () => {
      await openclawHas({});
      const registered = await script('openclaw-register-qmd.sh');
      assert.equal(registered.code, 0, registered.all);
      const smoke = await script('smoke-memory-bridge.sh');
      assert.match(smoke.out, /found it through mcporter/, smoke.all);
      assert.ok(
        server.calls.some((call) => call.startsWith('POST /api/v1/mcp/qmd/sse')),
        String(server.calls),
      );
    });
    await check('takes a rotated token when the script runs again', async () => {
      const before = readFileSync(join(home.dir, '.mcporter/mcporter.json'), 'utf8');
      await openclawHas({ ttlSeconds: 7200 });
      await script('openclaw-register-qmd.sh');
      assert.notEqual(readFileSync(join(home.dir, '.mcporter/mcporter.json'), 'utf8'), before);
      assert.equal((await script('smoke-memory-bridge.sh')).code, 0);
      assert.ok(!readFileSync(join(home.dir, OPENCLAW), 'utf8').includes('qmd'));
    });
    await check('leaves no fact of the smoke test behind', async () => {
      const left = await server.helmdeck.call('ada', 'GET', '/api/v1/memory/facts');
      assert.deepEqual(((await left.json()) as { facts: unknown[] }).facts, []);
    });
  } finally {
    await home.remove();
    await server.close();
  }
}
