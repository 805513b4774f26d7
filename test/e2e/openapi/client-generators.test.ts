import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { installPrograms, runProgram } from '../mcp/third-party-programs.ts';

// Generators of TypeScript clients, run on the document that the server serves.

const TSC = resolve(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
const bin = await installPrograms(join(import.meta.dirname, 'generators')).catch((thrown: unknown) => {
  if (process.env.CI) throw thrown;
  console.warn('skipped: the generators of TypeScript clients could not be installed');
  return undefined;
});

/** Compiles only if the generated functions have these names, required bodies, and errors with the codes of each. */
const USE_OF_CLIENT = `
import { getFact, listPacks, rerunPipelineRun, searchFacts, storeFact } from './client/index.ts';

await storeFact({ body: { key: 'a', value: 'b' }, headers: { 'If-Match': '"3"' } });
// @ts-expect-error: a body is required
await storeFact();
// @ts-expect-error: the body has no such field
await storeFact({ body: { key: 'a', value: 'b', colour: 'red' } });
await listPacks();
await rerunPipelineRun({ path: { run: 'run_1' } });
const found = await searchFacts({ query: { q: 'deploy', limit: 5 } });
export const keys: string[] | undefined = found.data?.results.map((hit) => hit.key);
const { data, error } = await getFact({ path: { key: 'a' } });
export const version: number | undefined = data?.version;
export const isGone = error?.error === 'not_found';
// @ts-expect-error: reading a fact cannot fail with this code
export const isLate = error?.error === 'not_cancellable';
`;
const USE_OF_TYPES = `
import type { components, operations } from './types.d.ts';

export const input: components['schemas']['FactInput'] = { key: 'a', value: 'b' };
export type Hits = operations['searchFacts']['responses'][200]['content']['application/json']['results'];
export const codes: operations['getFact']['responses'][404]['content']['application/json']['error'][] = ['not_found'];
`;

describe.skipIf(bin === undefined)('clients generated from the OpenAPI document', () => {
  let server: TestServer;
  let home: string;
  const run = async (program: string, ...args: string[]) => {
    const { code, out, err } = await runProgram(program, args, home);
    expect(code, out + err).toBe(0);
  };
  const compile = (file: string) =>
    run(TSC, '--noEmit', '--strict', '--allowImportingTsExtensions', '--target', 'es2024', '--module', 'esnext',
      '--moduleResolution', 'bundler', '--lib', 'es2024,dom,dom.iterable', file); // biome-ignore format: one command

  beforeAll(async () => {
    server = await testServer({ socket: true });
    home = mkdtempSync(join(tmpdir(), 'helmdeck-openapi-'));
    const document = await (await fetch(`${server.url}/openapi.json`)).text();
    writeFileSync(join(home, 'openapi.json'), document);
    writeFileSync(join(home, 'package.json'), '{"type":"module"}');
  });
  afterAll(async () => {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('openapi-typescript generates types that compile in strict mode', async () => {
    await run(join(bin!, 'openapi-typescript'), 'openapi.json', '--output', 'types.d.ts');
    writeFileSync(join(home, 'types-use.ts'), USE_OF_TYPES);
    await compile('types-use.ts');
  });

  it('@hey-api/openapi-ts generates a client that compiles in strict mode and calls the server', async () => {
    await run(join(bin!, 'openapi-ts'), '--input', 'openapi.json', '--output', 'client', '--no-log-file');
    writeFileSync(join(home, 'client-use.ts'), USE_OF_CLIENT);
    await compile('client-use.ts');
    const { client } = await import(join(home, 'client/client.gen.ts'));
    const { getFact, storeFact } = await import(join(home, 'client/index.ts'));
    client.setConfig({ baseUrl: server.url, auth: await server.token('ada') });
    const stored = await storeFact({ body: { key: 'a/b', value: 'c' } });
    expect(stored.data).toMatchObject({ key: 'a/b', version: 1, created: true });
    expect((await getFact({ path: { key: 'a/b' } })).data).toMatchObject({ value: 'c' });
    expect((await getFact({ path: { key: 'none' } })).error).toMatchObject({ error: 'not_found' });
  });
});
