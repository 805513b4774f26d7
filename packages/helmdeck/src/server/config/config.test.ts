import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';
import { ConfigError } from './config-values.ts';
import { VARIABLES } from './variables.ts';

const HEX = 'ab'.repeat(32);
const SECRET = 's'.repeat(32);
/** A valid sign-in with an identity provider. */
const OIDC = {
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'helmdeck',
  OIDC_ALLOW: '@Example.org, *',
  PUBLIC_URL: 'https://memory.example',
};
let folder: string;
let file: (name: string, text: string) => string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-config-'));
  file = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Loads with an empty data folder, so that no existing secrets file is read. */
const load = (env: Record<string, string> = {}) => {
  const full = Object.fromEntries(Object.entries(env).map(([name, value]) => [`HELMDECK_${name}`, value]));
  return loadConfig({ HELMDECK_DATA_DIR: join(folder, 'none'), ...full });
};
const effective = (env: Record<string, string>, name: string) =>
  load(env).effective.find((each) => each.name === `HELMDECK_${name}`)!;

describe('sign-in with an identity provider', () => {
  it.each([
    ['OIDC_CLIENT_ID', {}],
    ['OIDC_ALLOW', {}],
    ['PUBLIC_URL', {}],
    ['OIDC_ISSUER', {}],
    ['OIDC_ISSUER', { OIDC_ISSUER: 'http://id.example' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: 'id.example' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: 'https://id.example/#x' }],
    ['OIDC_GROUPS_CLAIM', { OIDC_ALLOW: 'engineers' }],
    [
      'JWT_SECRET',
      { JWKS_URL: 'https://id.example/jwks', JWT_ISSUER: 'https://id.example', JWT_AUDIENCE: 'x' },
    ],
  ])('a start with a missing or unsafe %s is refused by name', (name, changes) => {
    const { [name as keyof typeof OIDC]: _, ...others } = OIDC;
    expect(() => load({ ...others, ...changes })).toThrow(`HELMDECK_${name}`);
  });

  it('domains, groups and everyone are told apart, and the way back is under the public URL', () => {
    const groups = { OIDC_ALLOW: 'engineers,@Example.org', OIDC_GROUPS_CLAIM: 'groups' };
    expect(load({ ...OIDC, ...groups }).config.oidc).toMatchObject({
      subjectClaim: 'sub',
      redirectUri: 'https://memory.example/api/v1/auth/oidc/callback',
      allow: { everyone: false, domains: ['example.org'], groups: ['engineers'] },
    });
    expect(load(OIDC).config.oidc?.allow.everyone).toBe(true);
    expect(load().config.oidc).toBeUndefined();
  });
});

describe('invalid values', () => {
  it.each([
    ['ADDR', 'localhost'],
    ['ADDR', '127.0.0.1:99999'],
    ['ADDR', '127.0.0.1:x'],
    ['ADDR', '::1:3000'],
    ['PUBLIC_URL', 'memory.example.org'],
    ['PUBLIC_URL', 'ftp://memory.example.org'],
    ['PUBLIC_URL', 'https://memory.example.org/helmdeck'],
    ['PUBLIC_URL', 'https://memory.example.org?a=b'],
    ['PUBLIC_URL', 'https://ada:secret@memory.example.org'],
    ['TRUSTED_PROXIES', 'proxy'],
    ['TRUSTED_PROXIES', '127.0.0.1,10.0.0.1/8'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['MEMORY', 'maybe'],
    ['MEMORY', '1'],
    ['VAULT_KEY', 'xyz'],
    ['VAULT_KEY_PREVIOUS', 'xyz'],
    ['VAULT_KEY_PREVIOUS', HEX],
    ['GITHUB_API_URL', 'api.github.com'],
    ['EGRESS_ALLOWLIST', '10.0.0.1/8'],
    ['EGRESS_ALLOWLIST', '0.0.0.0/0'],
    ['S3_ENDPOINT', 's3.example.com'],
    ['S3_ENDPOINT', 'https://s3.example.com'],
    ['S3_BUCKET', 'art'],
    ['S3_ACCESS_KEY', 'x'],
    ['S3_PUBLIC_ENDPOINT', 'x'],
    ['JWT_SECRET', 's'.repeat(31)],
    ['JWKS_URL', 'not a url'],
    ['JWKS_URL', 'ftp://x/y'],
    ['DISABLE_AUTH', 'perhaps'],
    ['ALLOW_INSECURE', '2'],
    ['RATE_LIMIT', '0'],
    ['RATE_LIMIT', '-1'],
    ['RATE_LIMIT', '1.5'],
    ['RATE_LIMIT', 'none'],
    ['QUOTA_FACTS', '1e3'],
    ['QUOTA_BYTES', '1GB'],
    ['MAX_VALUE_BYTES', 'off'],
    ['MAX_VALUE_BYTES', '0'],
    ['SECRET_GUARD', 'no'],
    ['LOG_LEVEL', 'loud'],
    ['URL', '127.0.0.1:3000'],
    ['ADMIN_USERNAME', 'a\u0007b'],
    ['ADMIN_USERNAME', 'x'.repeat(257)],
    ['RECALL_CACHE_BYTES', 'much'],
    ['EMBEDDINGS_URL', 'ollama'],
    ['EMBEDDINGS_URL', 'ftp://x/v1'],
    ['EMBEDDINGS_URL', 'http://me:word@127.0.0.1/v1'],
    ['EMBEDDINGS_URL', 'http://127.0.0.1/v1#x'],
  ])('HELMDECK_%s=%s is refused with an error that names the variable', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(ConfigError);
    expect(() => load({ [name]: value })).toThrow(`HELMDECK_${name}`);
  });

  it.each([
    [{}, ['HELMDECK_JWT_ISSUER', 'HELMDECK_JWT_AUDIENCE']],
    [{ JWT_ISSUER: 'https://idp.example' }, ['HELMDECK_JWT_AUDIENCE']],
    [{ JWT_AUDIENCE: 'helmdeck' }, ['HELMDECK_JWT_ISSUER']],
    [{ JWT_ISSUER: 'https://idp.example#x', JWT_AUDIENCE: 'helmdeck' }, ['HELMDECK_JWT_ISSUER']],
    [{ JWT_ISSUER: 'https://idp.example', JWT_AUDIENCE: 'x', JWT_ADOPT: 'a,,b' }, ['HELMDECK_JWT_ADOPT']],
  ])('a key set with only %j is refused, and the error names what is missing', (values, names) => {
    for (const name of names)
      expect(() => load({ JWKS_URL: 'https://idp.example/jwks', ...values })).toThrow(name);
  });

  it('the error for an invalid secret does not contain its value', () => {
    const short = 'my-short-jwt-secret';
    expect(() => load({ JWT_SECRET: short })).not.toThrow(short);
    expect(() => load({ VAULT_KEY: short })).not.toThrow(short);
  });

  it('a vault key that equals a current or previous memory key is refused, ignoring case', () => {
    expect(() => load({ MEMORY_KEY: HEX, VAULT_KEY: HEX.toUpperCase() })).toThrow('HELMDECK_VAULT_KEY');
    expect(() => load({ MEMORY_KEY_PREVIOUS: `x, ${HEX}`, VAULT_KEY: HEX })).toThrow('HELMDECK_VAULT_KEY');
  });
});

describe('valid values', () => {
  it.each([
    [{}, { host: '127.0.0.1', port: 3000, memoryOn: true, writesPerSecond: 1000, quotaFacts: 250_000 }],
    [{}, { quotaBytes: 1_073_741_824, maxValueBytes: 65_536, secretGuard: true, adminUsername: 'admin' }],
    [{ ADDR: '[::1]:8080' }, { host: '::1', port: 8080 }],
    [{ ADDR: ':8080' }, { host: '0.0.0.0', port: 8080 }],
    [{ ADDR: '0.0.0.0:0' }, { host: '0.0.0.0', port: 0 }],
    [
      { RATE_LIMIT: 'off', QUOTA_FACTS: 'OFF', QUOTA_BYTES: 'off' },
      { writesPerSecond: undefined, quotaFacts: undefined, quotaBytes: undefined },
    ],
    [
      { MEMORY: 'OFF', SECRET_GUARD: 'off' },
      { memoryOn: false, secretGuard: false },
    ],
    [{ DISABLE_AUTH: 'true' }, { authDisabled: true }],
    [{ DISABLE_AUTH: '0' }, { authDisabled: false }],
    [{ MEMORY_KEY_PREVIOUS: ' a , b,,' }, { memoryKeysPrevious: ['a', 'b'] }],
    [{ URL: 'http://h:1//' }, { url: 'http://h:1' }],
    [{ JWT_SECRET: 'ü'.repeat(16) }, { jwtSecret: 'ü'.repeat(16) }],
    [{ RATE_LIMIT: '' }, { writesPerSecond: 1000 }],
  ])('%j is parsed', (env, expected) => {
    expect(load(env as Record<string, string>).config).toMatchObject(expected);
  });

  it('the configuration is frozen', () => {
    expect(Object.isFrozen(load().config)).toBe(true);
  });

  it('the data folder defaults to the folder of the database file, and to ./data without a file', () => {
    const { config } = loadConfig({ HELMDECK_DB: join(folder, 'deep', 'x.db') });
    expect(config.dataDir).toBe(join(folder, 'deep'));
    expect(loadConfig({ HELMDECK_DB: 'memory:' }).config.dataDir).toBe(resolve('./data'));
    expect(loadConfig({ HELMDECK_DB: 'x.db', HELMDECK_DATA_DIR: folder }).config.dataDir).toBe(folder);
  });
});

describe('unknown variables', () => {
  it.each([
    ['MEMORY_KEYS', 'MEMORY_KEY'],
    ['MEMORYKEY', 'MEMORY_KEY'],
    ['JWT_SECERT', 'JWT_SECRET'],
    ['ADDRESS', undefined],
    ['DBS', 'DB'],
    ['DISABLED_AUTH', 'DISABLE_AUTH'],
    ['MEMORY_KEY_FIL', 'MEMORY_KEY_FILE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ])('HELMDECK_%s is refused as a typo of %s, or warned about if it resembles no name', (name, meant) => {
    if (meant) expect(() => load({ [name]: 'x' })).toThrow(`did you mean HELMDECK_${meant}?`);
    else expect(load({ [name]: 'x' }).warnings).toEqual([expect.stringContaining(`HELMDECK_${name}`)]);
  });

  it('variables that Kubernetes injects are ignored without a warning', () => {
    const env = {
      PORT: 'tcp://10.0.0.1:80',
      PORT_80_TCP: 'tcp://10.0.0.1:80',
      PORT_80_TCP_ADDR: '10.0.0.1',
      SERVICE_HOST: '10.0.0.1',
      SERVICE_PORT: '80',
    };
    expect(load(env)).toMatchObject({ warnings: [], config: { port: 3000 } });
  });

  it('variables without the HELMDECK_ prefix are ignored', () => {
    expect(loadConfig({ HELMDECK_DATA_DIR: folder, PATH: '/bin', OTHER_MEMORY_KEYS: 'x' }).warnings).toEqual(
      [],
    );
  });
});

describe('secrets', () => {
  it('a secret can be read from a file, trimmed; the plain variable takes precedence', () => {
    const path = file('key', `${HEX}\n`);
    expect(load({ MEMORY_KEY_FILE: path }).config.memoryKey).toBe(HEX);
    expect(effective({ MEMORY_KEY_FILE: path }, 'MEMORY_KEY')).toMatchObject({
      from: 'file',
      value: '********',
    });
    expect(load({ MEMORY_KEY_FILE: path, MEMORY_KEY: 'c'.repeat(64) }).config.memoryKey).toBe('c'.repeat(64));
  });

  it.each(['missing', 'empty'])('a secret from a file that is %s is refused', (what) => {
    const path = what === 'empty' ? file('empty', ' \n') : join(folder, 'missing');
    expect(() => load({ JWT_SECRET_FILE: path })).toThrow('HELMDECK_JWT_SECRET_FILE');
  });

  it('a variable that is neither secret nor marked `file` cannot be read from a file', () => {
    expect(load({ LOG_LEVEL: 'debug', GATEWAY_MODEL_FILE: 'x' }).warnings).toHaveLength(1);
  });

  it('every secret is masked in the effective configuration', () => {
    const canary = 'canary'.repeat(10).padEnd(64, '0');
    for (const [name, variable] of Object.entries(VARIABLES)) {
      if (!('secret' in variable) || name === 'DB') continue; // only its credentials are masked, see below
      const wellFormed: Record<string, string> = {
        VAULT_KEY: HEX,
        VAULT_KEY_PREVIOUS: HEX,
        CACHE_URL: `redis://:${canary}@cache`,
      };
      const value = wellFormed[name] ?? canary;
      // Some are only accepted together with others.
      const required: Record<string, string> = {
        ...(name === 'VAULT_KEY_PREVIOUS' ? { VAULT_KEY: 'cd'.repeat(32) } : {}),
        ...(name.startsWith('S3_')
          ? { S3_ENDPOINT: 'https://s3.example', S3_BUCKET: 'art', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' }
          : {}),
        ...(name === 'OIDC_CLIENT_SECRET' ? OIDC : {}),
      };
      const shown = JSON.stringify(load({ ...required, [name]: value }).effective);
      expect(shown, name).not.toContain(value);
      expect(effective({ ...required, [name]: value }, name)).toMatchObject({
        value: '********',
        from: 'environment',
      });
    }
  });

  it('credentials inside a database address are masked', () => {
    const shown = effective({ DB: 'postgres://me:pa55word@db/x' }, 'DB').value;
    expect(shown).toBe('postgres://********@db/x');
  });

  it('a database address can be read from a file, and its credentials are masked', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'helmdeck-config-')), 'db');
    writeFileSync(file, 'postgres://me:pa55word@db/x\n');
    const { config, effective: all } = load({ DB_FILE: file });
    expect(config.db).toBe('postgres://me:pa55word@db/x');
    expect(all.find(({ name }) => name === 'HELMDECK_DB')).toMatchObject({
      value: 'postgres://********@db/x',
      from: 'file',
    });
  });

  it('secrets are read from secrets.env in the data folder; the environment takes precedence', () => {
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    writeFileSync(
      join(dataDir, 'secrets.env'),
      `# comment\nHELMDECK_JWT_SECRET=${SECRET}\nHELMDECK_MEMORY_KEY=${HEX}\n`,
    );
    const { config } = load({ DATA_DIR: dataDir, MEMORY_KEY: 'd'.repeat(64) });
    expect(config).toMatchObject({ jwtSecret: SECRET, memoryKey: 'd'.repeat(64) });
    expect(effective({ DATA_DIR: dataDir }, 'JWT_SECRET')).toMatchObject({
      from: 'secrets file',
      value: '********',
    });
  });
});

describe('HELMDECK_DISABLE_AUTH', () => {
  it.each(['127.0.0.1:3000', '127.9.9.9:1', 'localhost:3000', '[::1]:3000'])(
    'HELMDECK_DISABLE_AUTH is accepted on %s',
    (ADDR) => {
      expect(load({ ADDR, DISABLE_AUTH: '1' }).config.authDisabled).toBe(true);
    },
  );

  it.each(['0.0.0.0:3000', ':3000', '[::]:3000', '192.168.1.5:3000', 'myhost:3000', '127.evil.example:1'])(
    'HELMDECK_DISABLE_AUTH is refused on %s without HELMDECK_ALLOW_INSECURE',
    (ADDR) => {
      expect(() => load({ ADDR, DISABLE_AUTH: '1' })).toThrow('HELMDECK_DISABLE_AUTH');
      expect(load({ ADDR, DISABLE_AUTH: '1', ALLOW_INSECURE: '1' }).config.authDisabled).toBe(true);
    },
  );
});

describe('HELMDECK_CACHE_URL', () => {
  it('an address that is not redis:// or rediss:// is refused, and the error does not repeat it', () => {
    expect(load({ CACHE_URL: 'rediss://:secret@cache:6380/1' }).config.cacheUrl).toMatch(/^rediss/);
    for (const bad of ['http://:hunter2@cache', 'cache:6379', 'redis://'])
      expect(() => load({ CACHE_URL: bad })).toThrow(/^HELMDECK_CACHE_URL must be a redis or rediss URL\.$/);
  });
});

describe('settings of pack services', () => {
  const S3 = {
    S3_ENDPOINT: 'https://s3.example.com/',
    S3_BUCKET: 'my.bucket',
    S3_ACCESS_KEY: 'key',
    S3_SECRET_KEY: 'secret',
  };

  it('the defaults are api.github.com, artifacts in files, an empty egress allowlist and no vault', () => {
    expect(load().config).toMatchObject({
      githubApiUrl: 'https://api.github.com',
      s3: undefined,
      egressAllowlist: { networks: [], hosts: [] },
      vaultKey: undefined,
      vaultKeysPrevious: [],
    });
  });

  it('the S3 endpoint can be read from a file, and an unknown S3 addressing style is refused', () => {
    const path = join(folder, 'endpoint');
    writeFileSync(path, 'https://garage.example.com\n');
    const { S3_ENDPOINT: _, ...rest } = S3;
    const loaded = load({ ...rest, S3_ENDPOINT_FILE: path, S3_ADDRESSING: 'virtual' });
    expect(loaded.config.s3).toMatchObject({ endpoint: 'https://garage.example.com', addressing: 'virtual' });
    expect(loaded.effective.find(({ name }) => name === 'HELMDECK_S3_ENDPOINT')).toMatchObject({
      value: 'https://garage.example.com',
      from: 'file',
    });
    expect(() => load({ ...S3, S3_ADDRESSING: 'host' })).toThrow('HELMDECK_S3_ADDRESSING');
  });

  it('an incomplete S3 configuration is refused with an error that names the missing variable', () => {
    expect(load(S3).config.s3).toEqual({
      endpoint: 'https://s3.example.com',
      bucket: 'my.bucket',
      accessKey: 'key',
      secretKey: 'secret',
      addressing: 'path',
      region: 'us-east-1',
    });
    expect(load({ ...S3, S3_REGION: 'garage' }).config.s3?.region).toBe('garage');
    for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const) {
      const { [name]: _, ...rest } = S3;
      expect(() => load(rest)).toThrow(`HELMDECK_${name}`);
    }
    expect(() => load({ ...S3, S3_BUCKET: '../x' })).toThrow('HELMDECK_S3_BUCKET');
    expect(() => load({ ...S3, S3_SECRET_KEY: 's3cret', S3_BUCKET: '' })).not.toThrow('s3cret');
  });

  it('the vault key can be read from a file', () => {
    const path = file('vault-key', `${HEX}\n`);
    expect(load({ VAULT_KEY_FILE: path }).config.vaultKey).toBe(HEX);
    expect(effective({ VAULT_KEY_FILE: path }, 'VAULT_KEY')).toMatchObject({
      value: '********',
      from: 'file',
    });
  });

  it('vault keys must differ from memory keys, including previous ones', () => {
    const other = 'cd'.repeat(32);
    expect(() => load({ VAULT_KEY: HEX.toUpperCase(), MEMORY_KEY: HEX })).toThrow('must differ');
    expect(() => load({ VAULT_KEY: HEX, MEMORY_KEY: other, MEMORY_KEY_PREVIOUS: HEX })).toThrow(
      'must differ',
    );
    expect(() => load({ VAULT_KEY: other, VAULT_KEY_PREVIOUS: HEX, MEMORY_KEY: HEX })).toThrow('must differ');
    const { config } = load({ VAULT_KEY: HEX, VAULT_KEY_PREVIOUS: `${other},` });
    expect(config).toMatchObject({ vaultKey: HEX, vaultKeysPrevious: [other] });
  });
});
