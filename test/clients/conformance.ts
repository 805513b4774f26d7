import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { check } from './checks.ts';
import { createClientHome } from './client-home.ts';
import { conformancePacks } from './conformance-packs.ts';
import { installedClient } from './installed-client.ts';

/** Checks of a scenario that need what Helmdeck does not have. */
interface Scenario {
  name: string;
  /** The revision of the protocol; absent: the newest that the scenario is for. */
  revision?: string;
  except?: readonly string[];
}

const NEWEST = '2026-07-28';
const EARLIER = '2025-11-25';
const inBoth = (name: string): Scenario[] => [EARLIER, NEWEST].map((revision) => ({ name, revision }));

/**
 * The scenarios for what Helmdeck has. Left out are those for images, audio, sampling, logging, roots and tasks, for
 * prompts and elicitation by tools of fixed names, for schemas with keywords that packs cannot have, and for resumed
 * streams, which are optional.
 */
const SCENARIOS: readonly Scenario[] = [
  { name: 'server-initialize' },
  { name: 'server-session-lifecycle' },
  {
    name: 'server-stateless',
    // The check wants the capability "sampling" to be named; the only one that Helmdeck insists on is "elicitation".
    except: ['sep-2575-server-rejects-undeclared-capability'],
  },
  { name: 'ping' },
  ...inBoth('tools-list'),
  ...inBoth('tools-call-simple-text'),
  ...inBoth('tools-call-error'),
  ...inBoth('tools-call-with-progress'),
  ...inBoth('resources-list'),
  ...inBoth('resources-read-text'),
  ...inBoth('resources-templates-read'),
  { name: 'resources-subscribe' },
  { name: 'resources-unsubscribe' },
  { name: 'sep-2164-resource-not-found' },
  ...inBoth('prompts-list'),
  ...inBoth('completion-complete'),
  ...inBoth('server-sse-multiple-streams'),
  ...inBoth('dns-rebinding-protection'),
  { name: 'caching' },
  { name: 'http-header-validation' },
  { name: 'input-required-result-unsupported-methods' },
];

/** Tools of fixed names that scenarios call, as calls of the tools of Helmdeck that do what the scenario is about. */
const CALLS: readonly [string, { name: string; arguments: object }][] = [
  ['test_missing_capability', { name: 'memory_decide', arguments: { id: 'none', decision: 'reject' } }],
  ['test_streaming_elicitation', { name: 'memory_forget', arguments: { scope: 'all' } }],
];

/** The resources that scenarios read and watch, as facts. */
const RESOURCES = ['static-text', 'watched-resource', 'template/123/data'];
const SCOPES = ['memory:read', 'memory:write', 'memory:review', 'packs:run'];
const [THEIRS, OURS] = ['test://', 'helmdeck://facts/'];

function withParams(body: string, params: object): string {
  const message = JSON.parse(body) as { params: object };
  return JSON.stringify({ ...message, params: { ...message.params, ...params } });
}

/** Runs the conformance suite of the protocol against a server with the tools that its scenarios call. */
export async function conformance(version: string): Promise<void> {
  const program = join(installedClient('@modelcontextprotocol/conformance', version), 'dist/index.js');
  const helmdeck = await testServer({ socket: true, packs: conformancePacks });
  const authorization = `Bearer ${await helmdeck.token('ada', { scopes: SCOPES })}`;
  for (const key of RESOURCES)
    await helmdeck.call('ada', 'POST', '/api/v1/memory/store', { key, value: `The text of ${key}, id 123.` });
  // The suite has no option for a header, so a proxy adds the token; and it gives resources and
  // tools the names of the suite.
  const proxy = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const { method, url } = incoming;
    const { 'content-length': _, ...headers } = incoming.headers;
    const call = CALLS.find(([name]) => body.includes(`"${name}"`));
    if (call && headers['mcp-name']) headers['mcp-name'] = call[1].name;
    for (const [name, value] of Object.entries(headers))
      if (typeof value === 'string') headers[name] = value.replaceAll(THEIRS, OURS);
    const to = request(helmdeck.url + url, { method, headers: { ...headers, authorization } }, (response) => {
      const { 'content-length': __, ...answered } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, answered);
      outgoing.flushHeaders();
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => outgoing.write(chunk.replaceAll(OURS, THEIRS)));
      response.on('end', () => outgoing.end());
    });
    to.on('error', () => outgoing.destroy());
    outgoing.on('close', () => to.destroy());
    to.end((call ? withParams(body, call[1]) : body).replaceAll(THEIRS, OURS));
  });
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/v1/mcp`;
  const home = createClientHome();
  try {
    for (const { name, revision, except = [] } of SCENARIOS)
      await check(`conformance: ${name}${revision ? ` of ${revision}` : ''}`, async () => {
        const wanted = revision ? ['--spec-version', revision] : [];
        const { code, all } = await home.run(program, [
          'server',
          '--url',
          url,
          '--scenario',
          name,
          ...wanted,
        ]);
        const failed = all.split('\n').filter((line) => line.includes('FAILURE'));
        assert.ok(/SUCCESS/.test(all), all.slice(-1_500));
        assert.equal(code, except.length === 0 ? 0 : 1, all.slice(-1_500));
        assert.deepEqual(
          failed.filter((line) => !except.some((id) => line.includes(`[${id}`))),
          [],
        );
      });
  } finally {
    await home.remove();
    proxy.closeAllConnections();
    await new Promise((closed) => proxy.close(closed));
    await helmdeck.close();
  }
}
