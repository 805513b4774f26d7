import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../../packages/helmdeck/src/server/config/variables.ts';
import { installPackage } from '../support/services/debian-package.ts';
import {
  COMPOSE_DIR,
  COMPOSE_FILES,
  type ComposeFile,
  mergeCompose,
  ROOT,
  readCompose,
} from './compose-files.ts';

const OPENCLAW = 'compose.openclaw-sidecar.yml';
const OVERLAYS = COMPOSE_FILES.filter((name) => name !== 'compose.yaml' && name !== OPENCLAW);
/** The minimum of OpenClaw's own Compose file. */
const OPENCLAWS_OWN = { services: { 'openclaw-gateway': { image: 'openclaw' } } } as ComposeFile;
/** Each overlay alone, and all that do not exclude each other. */
const COMBINATIONS = [
  [],
  ...OVERLAYS.map((name) => [name]),
  OVERLAYS.filter((name) => !name.includes('redis')),
  OVERLAYS.filter((name) => !name.includes('postgres')),
].map((overlays) => ['compose.yaml', ...overlays]);

/** The part of the Compose specification that these files use. */
const SERVICE_KEYS: Record<string, (value: unknown) => boolean> = {
  container_name: isText,
  image: isText,
  build: (value) => Object.keys(value as object).every((key) => ['context', 'dockerfile'].includes(key)),
  restart: (value) => ['no', 'always', 'on-failure', 'unless-stopped'].includes(value as string),
  init: isFlag,
  read_only: isFlag,
  tmpfs: isTexts,
  cap_drop: isTexts,
  security_opt: isTexts,
  env_file: isTexts,
  environment: (value) => Object.values(value as object).every(isText),
  volumes: isTexts,
  ports: isTexts,
  networks: isTexts,
  entrypoint: isTexts,
  command: isTexts,
  shm_size: isText,
  stop_grace_period: isDuration,
  depends_on: (value) =>
    Object.values(value as Record<string, { condition: string }>).every(({ condition }) =>
      ['service_started', 'service_healthy', 'service_completed_successfully'].includes(condition),
    ),
  healthcheck: (value) => {
    const { test, interval, timeout, start_period, retries } = value as Record<string, unknown>;
    const isTest = isTexts(test) && ['CMD', 'CMD-SHELL'].includes((test as string[])[0]!);
    return isTest && [interval, timeout, start_period].every(isDuration) && Number.isInteger(retries);
  },
};
function isText(value: unknown): boolean {
  return typeof value === 'string';
}
function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}
function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
function isDuration(value: unknown): boolean {
  return typeof value === 'string' && /^\d+(ms|s|m|h)$/.test(value);
}

describe('compose files', () => {
  it('the base file and the five overlays exist', () => {
    expect(COMPOSE_FILES.sort()).toEqual([
      'compose.embeddings.yml',
      'compose.garage.yml',
      OPENCLAW,
      'compose.postgres.yml',
      'compose.redis.yml',
      'compose.yaml',
    ]);
  });

  it.each(COMPOSE_FILES)(
    '%s uses only keys of the Compose specification, with values of the right type',
    (name) => {
      const file = readCompose(name);
      expect(Object.keys(file).filter((key) => !['services', 'networks', 'volumes'].includes(key))).toEqual(
        [],
      );
      for (const [service, definition] of Object.entries(file.services))
        for (const [key, value] of Object.entries(definition))
          expect(SERVICE_KEYS[key]?.(value) ?? false, `${service}.${key}`).toBe(true);
    },
  );

  it.each([...COMBINATIONS.map((names) => [names.join(' + '), names] as const)])(
    '%s merge to a file that defines every network, volume and dependency it uses',
    (_title, names) => {
      const merged = mergeCompose(names.map(readCompose));
      for (const [service, definition] of Object.entries(merged.services)) {
        for (const network of definition.networks ?? [])
          expect(merged.networks, service).toHaveProperty([network]);
        for (const volume of definition.volumes ?? [])
          if (!volume.startsWith('.'))
            expect(merged.volumes, service).toHaveProperty([volume.split(':')[0]!]);
        for (const [needed, { condition }] of Object.entries(definition.depends_on ?? {})) {
          expect(merged.services, service).toHaveProperty([needed]);
          if (condition === 'service_healthy') expect(merged.services[needed]!.healthcheck).toBeDefined();
        }
        expect(definition.image, service).toBeDefined();
      }
    },
  );

  it('all Compose files define a network or volume in the same way, so that they work on a new host', () => {
    for (const kind of ['networks', 'volumes'] as const) {
      const seen = new Map<string, unknown>();
      for (const name of ['compose.yaml', ...OVERLAYS])
        for (const [key, definition] of Object.entries(readCompose(name)[kind] ?? {})) {
          expect(definition.external, `${name} ${key}`).toBeUndefined();
          expect(definition.name, `${name} ${key}`).toBe(key);
          if (seen.has(key)) expect(definition, `${name} ${key}`).toEqual(seen.get(key));
          seen.set(key, definition);
        }
    }
  });

  it('service, network and volume names that other projects rely on are unchanged', () => {
    const base = readCompose('compose.yaml');
    const plane = base.services['helmdeck-control-plane']!;
    expect(plane).toMatchObject({
      container_name: 'helmdeck-control-plane',
      networks: ['baas-net'],
      volumes: ['helmdeck-data:/data'],
      read_only: true,
      cap_drop: ['ALL'],
    });
    expect(plane.environment!.HELMDECK_ADDR).toBe('0.0.0.0:3000');
    expect(plane.ports).toEqual([expect.stringContaining('127.0.0.1:3000')]);
    expect(base.networks).toHaveProperty('baas-net.name', 'baas-net');
    const { services, volumes } = readCompose('compose.embeddings.yml');
    expect(services['helmdeck-embeddings']!.container_name).toBe('helmdeck-embeddings');
    expect(services['helmdeck-control-plane']!.environment!.HELMDECK_EMBEDDINGS_URL).toBe(
      'http://helmdeck-embeddings:11434/v1',
    );
    expect(services['helmdeck-embeddings-init']).toMatchObject({
      restart: 'no',
      command: ['pull', `\${EMBEDDING_MODEL:-nomic-embed-text}`],
    });
    expect(volumes).toHaveProperty('helmdeck-embeddings-models');
    for (const service of Object.values(services)) expect(service.ports).toBeUndefined();
  });

  it('the Compose files set only variables the server knows, and need only secrets that install.sh creates', () => {
    const script = readFileSync(join(ROOT, 'scripts/install.sh'), 'utf8');
    for (const name of COMPOSE_FILES) {
      const text = readFileSync(join(COMPOSE_DIR, name), 'utf8');
      const plane = readCompose(name).services['helmdeck-control-plane'];
      for (const variable of Object.keys(plane?.environment ?? {}))
        expect(VARIABLES).toHaveProperty([variable.replace('HELMDECK_', '')]);
      for (const [, needed] of text.matchAll(/\$\{([A-Z_]+):\?/g))
        expect(script).toContain(`keep_or_add "$CHOICES" ${needed} `);
    }
  });

  it('the OpenClaw overlay joins its gateway to the network of Helmdeck, and the bridge can be turned off', () => {
    const merged = mergeCompose([OPENCLAWS_OWN, readCompose(OPENCLAW)]);
    const gateway = merged.services['openclaw-gateway']!;
    expect(gateway.networks).toEqual(['default', 'baas-net']);
    expect(merged.networks).toEqual({ 'baas-net': { name: 'baas-net', external: true } });
    expect(gateway.environment).toMatchObject({
      OPENCLAW_MEMORY_QMD_MCPORTER_ENABLED: `\${OPENCLAW_QMD_ENABLED:-true}`,
    });
  });
});

// Debian's docker-compose validates files against the published schema and merges them, without a Docker engine.
const problem =
  spawnSync('docker-compose', ['version']).status === 0 ? undefined : installPackage('docker-compose');
if (problem !== undefined) console.warn(`Compose files are not checked by docker-compose: ${problem}`);

describe.skipIf(problem !== undefined)('docker-compose config', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'helmdeck-compose-'));
    cpSync(COMPOSE_DIR, join(dir, 'compose'), { recursive: true, filter: (path) => !/\/\.env/.test(path) });
    writeFileSync(join(dir, 'compose/.env.local'), 'HELMDECK_LOG_LEVEL=warn\n');
    writeFileSync(join(dir, 'openclaw.yml'), 'services: { openclaw-gateway: { image: openclaw } }\n');
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const SECRETS = {
    POSTGRES_PASSWORD: 'p',
    REDIS_PASSWORD: 'r',
    GARAGE_ACCESS_KEY: 'GKa',
    GARAGE_SECRET_KEY: 's',
    GARAGE_RPC_SECRET: 't',
  };
  const config = (files: readonly string[], env: Record<string, string> = SECRETS) =>
    spawnSync('docker-compose', [...files.flatMap((file) => ['-f', file]), 'config'], {
      cwd: join(dir, 'compose'),
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });

  it.each([...COMBINATIONS.map((names) => [names.join(' + '), names] as const)])(
    'docker-compose config accepts %s',
    (_title, names) => {
      const done = config(names);
      expect(done.stderr).toBe('');
      expect(done.status).toBe(0);
      const shown = parse(done.stdout) as ComposeFile;
      const merged = mergeCompose(names.map(readCompose));
      expect(Object.keys(shown.services).sort()).toEqual(Object.keys(merged.services).sort());
      expect(Object.keys(shown.networks!).sort()).toEqual(Object.keys(merged.networks!).sort());
      const networks = Object.keys(shown.services['helmdeck-control-plane']!.networks!);
      expect(networks.sort()).toEqual(merged.services['helmdeck-control-plane']!.networks!.sort());
    },
  );

  it('docker-compose config accepts the overlay for OpenClaw, on and off', () => {
    for (const enabled of ['true', 'false']) {
      const done = config(['../openclaw.yml', OPENCLAW], { OPENCLAW_QMD_ENABLED: enabled });
      expect(done.status, done.stderr).toBe(0);
      const shown = parse(done.stdout) as ComposeFile;
      expect(shown.services['openclaw-gateway']!.environment).toHaveProperty(
        'OPENCLAW_MEMORY_QMD_MCPORTER_ENABLED',
        enabled,
      );
    }
  });

  it('docker-compose config names a missing secret instead of using an empty password', () => {
    const done = config(['compose.yaml', 'compose.postgres.yml'], {});
    expect(done.status).not.toBe(0);
    expect(done.stderr).toContain('install.sh --with postgres');
  });
});
