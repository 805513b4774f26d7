/**
 * What can be set, in one list: `HELMDECK_<name>`. `secret` ones are masked and may also come from `<name>_FILE`;
 * `file` ones may come from there too, because what makes a bucket often writes them down.
 */
export const VARIABLES = {
  ADDR: { default: '127.0.0.1:3000', about: 'address to listen on' },
  DB: {
    default: './data/helmdeck.db',
    secret: true,
    about: 'database: a file, postgres://…, redis://…, or memory: to keep nothing',
  },
  DATA_DIR: { about: 'folder of every other file; default: the folder of the database file, else ./data' },
  MEMORY: { default: 'on', about: 'on, or off to run without memory on purpose' },
  MEMORY_KEY: { secret: true, about: '64 hex characters; unset means a key that dies with the process' },
  MEMORY_KEY_PREVIOUS: { secret: true, about: 'earlier memory keys, comma-separated; re-wrapped on start' },
  VAULT_KEY: { secret: true, about: '64 hex characters, another than the memory key; unset means no vault' },
  VAULT_KEY_PREVIOUS: { secret: true, about: 'earlier vault keys, comma-separated; re-wrapped on start' },
  JWT_SECRET: { secret: true, about: 'secret of HS256 tokens, at least 32 bytes' },
  JWKS_URL: { about: 'keys of RS, ES and EdDSA tokens' },
  JWT_ISSUER: { about: 'issuer that JWKS tokens must carry' },
  JWT_AUDIENCE: { about: 'audience that JWKS tokens must carry' },
  DISABLE_AUTH: { about: '1 to run without tokens; loopback only' },
  ALLOW_INSECURE: { about: '1 to allow that on other addresses' },
  ADMIN_USERNAME: { default: 'admin', about: 'name of the admin login, and its subject' },
  ADMIN_PASSWORD: { secret: true, about: 'password of the admin login; unset switches login off' },
  METRICS_TOKEN: { secret: true, about: 'bearer token for /metrics on non-loopback addresses' },
  RATE_LIMIT: {
    default: '1000',
    about: 'writes per second and caller, and as many runs, or off; bursts of twice that',
  },
  QUOTA_FACTS: { default: '250000', about: 'facts per caller, or off' },
  QUOTA_BYTES: { default: '1073741824', about: 'bytes per caller without run records, or off' },
  MAX_VALUE_BYTES: { default: '65536', about: 'largest value of a fact' },
  SECRET_GUARD: { default: 'on', about: 'on, or off to store credentials as facts' },
  RECALL_CACHE_BYTES: { default: '268435456', about: 'RAM for search images' },
  EMBEDDINGS_URL: { about: 'OpenAI-compatible base with /v1, or builtin; unset means search by words alone' },
  EMBEDDINGS_MODEL: { about: 'embedding model; needed with a URL' },
  EMBEDDINGS_API_KEY: { secret: true, about: 'key of the embeddings endpoint' },
  GATEWAY_URL: { about: 'OpenAI-compatible language model base with /v1' },
  GATEWAY_API_KEY: { secret: true, about: 'key of the gateway' },
  GATEWAY_MODEL: { about: 'model asked for by default' },
  GITHUB_API_URL: { default: 'https://api.github.com', about: 'base of the GitHub API' },
  PACKS_DIR: { about: 'folder of your own packs' },
  EGRESS_ALLOWLIST: {
    about: 'networks, addresses and host names inside that packs may reach, comma-separated',
  },
  CACHE_URL: {
    secret: true,
    about: 'Redis for results of packs, shared by all nodes; unset means the database',
  },
  S3_ENDPOINT: { file: true, about: 'S3 endpoint of artifacts; unset means files in the data folder' },
  S3_BUCKET: { file: true, about: 'S3 bucket of artifacts' },
  S3_ACCESS_KEY: { secret: true, about: 'S3 access key' },
  S3_SECRET_KEY: { secret: true, about: 'S3 secret key' },
  S3_REGION: { default: 'us-east-1', about: 'S3 region' },
  S3_ADDRESSING: { default: 'path', about: 'path (host/bucket) or virtual (bucket.host)' },
  S3_PUBLIC_ENDPOINT: {
    file: true,
    about: 'not used: artifacts are encrypted, so clients read them through Helmdeck',
  },
  BACKUP_URL: { about: 'folder or s3://bucket/prefix of scheduled backups; unset means none' },
  BACKUP_EVERY: { default: '24h', about: 'time between scheduled backups, such as 30m, 24h or 7d' },
  BACKUP_KEEP: { default: '7', about: 'backups of this database that stay; older ones are deleted' },
  LOG_LEVEL: { default: 'info', about: 'trace, debug, info, warn, error or silent' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { about: 'where traces go' },
  URL: { about: 'the server that the CLI talks to' },
  TOKEN: { secret: true, about: 'the token that the CLI talks with' },
} as const satisfies Record<string, Variable>;

export interface Variable {
  default?: string;
  secret?: true;
  file?: true;
  about: string;
}

export type VariableName = keyof typeof VARIABLES;

/** Names that other parts of a deployment read. */
export const FOREIGN = new Set([
  'HELMDECK_VERSION',
  'HELMDECK_IMAGE',
  'HELMDECK_PUBLISH',
  'HELMDECK_QMD_URL',
  'HELMDECK_DOCKER_GID',
  'HELMDECK_SKIP_GITHUB',
]);
