import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { check } from './checks.ts';
import { createClientHome } from './client-home.ts';
import { conformancePacks } from './conformance-packs.ts';
import { installedClient } from './installed-client.ts';

/** The scenarios whose fixtures are tools. Those for images, sampling, logging and `test://` resources are for servers that have them. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'resources-list',
  'prompts-list',
  'completion-complete',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

/** Runs the conformance suite of the protocol against a server with the tools that its scenarios call. */
export async function conformance(version: string): Promise<void> {
  const program = join(installedClient('@modelcontextprotocol/conformance', version), 'dist/index.js');
  const helmdeck = await testServer({ socket: true, packs: conformancePacks });
  const authorization = `Bearer ${await helmdeck.token('ada')}`;
  // The suite has no option for a header, so a proxy adds the token.
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const to = request(helmdeck.url + url, { method, headers: { ...headers, authorization } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    to.on('error', () => outgoing.destroy());
    outgoing.on('close', () => to.destroy());
    incoming.pipe(to);
  });
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/v1/mcp`;
  const home = createClientHome();
  try {
    for (const scenario of SCENARIOS)
      await check(`conformance: ${scenario}`, async () => {
        const { code, all } = await home.run(program, ['server', '--url', url, '--scenario', scenario]);
        assert.equal(code, 0, all.slice(-1_500));
      });
  } finally {
    await home.remove();
    proxy.closeAllConnections();
    await new Promise((closed) => proxy.close(closed));
    await helmdeck.close();
  }
}
