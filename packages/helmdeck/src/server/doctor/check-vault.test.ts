import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testServer } from '../../testing/test-server.ts';
import { loadConfig } from '../config/config.ts';
import { checkDatabase } from './check-database.ts';

const VAULT_KEY = 'd'.repeat(64);
const OTHER = 'e'.repeat(64);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-check-vault-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const env = (more: Record<string, string>) => ({
  HELMDECK_DB: join(folder, 'helmdeck.db'),
  HELMDECK_MEMORY_KEY: 'a'.repeat(64),
  ...more,
});
async function check(more: Record<string, string>) {
  const checks = await checkDatabase(loadConfig(env(more)).config, 'none');
  return checks.filter(({ name }) => name === 'Vault').map(({ status }) => status);
}

describe('helmdeck doctor and the vault', () => {
  it('the vault check passes with the right key, warns without one and fails with a wrong one; all other checks pass', async () => {
    const server = await testServer({ env: env({ HELMDECK_VAULT_KEY: VAULT_KEY }) });
    expect(await check({ HELMDECK_VAULT_KEY: OTHER })).toEqual(['ok']); // the vault is empty
    const authorization = `Bearer ${await server.token('ada', { scopes: ['packs:run', 'vault:write'] })}`;
    const body = { name: 'k', value: 'v' };
    const written = await server.call(undefined, 'POST', '/api/v1/packs/vault.write', body, {
      authorization,
    });
    expect(written.status).toBe(200);
    await server.close();
    expect(await check({ HELMDECK_VAULT_KEY: VAULT_KEY })).toEqual(['ok']);
    expect(await check({ HELMDECK_VAULT_KEY: OTHER, HELMDECK_VAULT_KEY_PREVIOUS: VAULT_KEY })).toEqual([
      'ok',
    ]);
    expect(await check({})).toEqual(['warn']);
    expect(await check({ HELMDECK_VAULT_KEY: OTHER })).toEqual(['fail']);
    const all = await checkDatabase(loadConfig(env({ HELMDECK_VAULT_KEY: VAULT_KEY })).config, 'none');
    expect(all.filter(({ status }) => status !== 'ok')).toEqual([]);
  });

  it('without a vault and a vault key, the doctor has no vault check', async () => {
    await (await testServer({ env: env({}) })).close();
    expect(await check({})).toEqual([]);
  });
});
