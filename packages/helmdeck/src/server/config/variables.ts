/**
 * All settings: the environment variables `HELMDECK_<name>`. `secret` ones are masked in output and may also be read from
 * the file named by `<name>_FILE`; so may `file` ones, because provisioning tools often write an S3 bucket to a file.
 */
export const VARIABLES = {
  ADDR: { default: '127.0.0.1:3000', about: 'address to listen on' },
  PUBLIC_URL: {
    about:
      'URL that people and clients use: its name is allowed as Host, it as Origin, and applications can connect over OAuth',
  },
  TRUSTED_PROXIES: {
    about:
      'addresses and networks of proxies whose X-Forwarded-For, -Proto and -Host count, comma-separated; unset means none',
  },
  OAUTH_CLIENT_DOCUMENTS: {
    default: 'on',
    about:
      'on, or off to let applications connect over OAuth only if they register, and not by the URL of a document about them',
  },
  DB: {
    default: './data/helmdeck.db',
    secret: true,
    about: 'database: a file, postgres://…, redis://…, or memory: for RAM only',
  },
  DATA_DIR: { about: 'folder for all other files; default: the folder of the database file, else ./data' },
  MEMORY: { default: 'on', about: 'on, or off to run without memory' },
  MEMORY_KEY: {
    secret: true,
    about: '64 hex characters; unset means an ephemeral key that is lost when the process ends',
  },
  MEMORY_KEY_PREVIOUS: { secret: true, about: 'earlier memory keys, comma-separated; re-wrapped on start' },
  VAULT_KEY: { secret: true, about: '64 hex characters, not those of the memory key; unset means no vault' },
  VAULT_KEY_PREVIOUS: { secret: true, about: 'earlier vault keys, comma-separated; re-wrapped on start' },
  JWT_SECRET: { secret: true, about: 'secret that signs HS256 tokens, at least 32 bytes' },
  JWKS_URL: { about: 'JWKS endpoint: public keys of RS, ES and EdDSA tokens' },
  JWT_ISSUER: { about: 'issuer of JWKS tokens; required with HELMDECK_JWKS_URL' },
  JWT_AUDIENCE: { about: 'audience of JWKS tokens; required with HELMDECK_JWKS_URL' },
  JWT_ADMIN: { about: '1 to accept the scope admin in JWKS tokens' },
  JWT_ADOPT: {
    about: 'whose existing memories are those of JWKS subjects: all, none, or subjects, comma-separated',
  },
  OIDC_ISSUER: { about: 'issuer URL of the identity provider that people sign in with; unset means none' },
  OIDC_CLIENT_ID: { about: 'client id of this server at the identity provider' },
  OIDC_CLIENT_SECRET: { secret: true, about: 'client secret there; unset for a public client' },
  OIDC_SUBJECT_CLAIM: {
    default: 'sub',
    about: 'claim that names a person for ever; one that the provider never gives to another person',
  },
  OIDC_GROUPS_CLAIM: { about: "claim that lists a person's groups" },
  OIDC_ALLOW: {
    about: 'who may sign in: domains like @example.org, groups, comma-separated, or * for everyone',
  },
  DISABLE_AUTH: { about: '1 to run without authentication; loopback addresses only' },
  ALLOW_INSECURE: { about: '1 to allow HELMDECK_DISABLE_AUTH on other addresses' },
  ADMIN_USERNAME: { default: 'admin', about: 'user name of the admin login, and subject of its tokens' },
  ADMIN_PASSWORD: { secret: true, about: 'password of the admin login; unset disables login' },
  METRICS_TOKEN: { secret: true, about: 'bearer token for /metrics on non-loopback addresses' },
  RATE_LIMIT: {
    default: '1000',
    about:
      'writes per second per caller and node, as many runs and ten times as many reads, or off; bursts may be twice that',
  },
  QUOTA_FACTS: { default: '250000', about: 'facts per caller, or off' },
  QUOTA_BYTES: { default: '1073741824', about: 'bytes per caller without run records, or off' },
  MAX_VALUE_BYTES: { default: '65536', about: 'maximum size of the value of a fact' },
  GATE: {
    default: 'guarded',
    about:
      "which texts wait in the inbox for a person: guarded (from outside, or over a more trusted fact), strict (all but a person's own), open (none)",
  },
  SECRET_GUARD: { default: 'on', about: 'on, or off to allow credentials in facts' },
  REVIEW_AFTER: {
    default: '30d',
    about: 'when facts are due for review: 30d, a list such as preferences=90d,*=30d, or off',
  },
  RECALL_LOG: { default: 'on', about: 'on, or off to record no questions of agents' },
  RECALL_CACHE_BYTES: { default: '268435456', about: 'RAM for search images' },
  EMBEDDINGS_URL: {
    about: 'OpenAI-compatible base URL with /v1, or builtin; unset means search by words alone',
  },
  EMBEDDINGS_MODEL: { about: 'embedding model; required with a URL' },
  EMBEDDINGS_API_KEY: { secret: true, about: 'API key of the embeddings endpoint' },
  GATEWAY_URL: { about: 'OpenAI-compatible base URL of the language model gateway, with /v1' },
  GATEWAY_API_KEY: { secret: true, about: 'API key of the gateway' },
  GATEWAY_MODEL: { about: 'default model' },
  GITHUB_API_URL: { default: 'https://api.github.com', about: 'base URL of the GitHub API' },
  PACKS_DIR: { about: 'folder of your own packs' },
  EGRESS_ALLOWLIST: {
    about: 'private networks, addresses and host names that packs may reach, comma-separated',
  },
  CACHE_URL: {
    secret: true,
    about: 'Redis that caches pack results for all nodes; unset means the database',
  },
  S3_ENDPOINT: { file: true, about: 'S3 endpoint for artifacts; unset means files in the data folder' },
  S3_BUCKET: { file: true, about: 'S3 bucket for artifacts' },
  S3_ACCESS_KEY: { secret: true, about: 'S3 access key' },
  S3_SECRET_KEY: { secret: true, about: 'S3 secret key' },
  S3_REGION: { default: 'us-east-1', about: 'S3 region' },
  S3_ADDRESSING: { default: 'path', about: 'path (host/bucket) or virtual (bucket.host)' },
  S3_PUBLIC_ENDPOINT: {
    file: true,
    about: 'not used: artifacts are encrypted, so clients read them through Helmdeck',
  },
  BACKUP_URL: { about: 'folder or s3://bucket/prefix for scheduled backups; unset means none' },
  BACKUP_EVERY: { default: '24h', about: 'interval between scheduled backups, such as 30m, 24h or 7d' },
  BACKUP_KEEP: { default: '7', about: 'number of backups of this database to keep; older ones are deleted' },
  LOG_LEVEL: { default: 'info', about: 'trace, debug, info, warn, error or silent' },
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

/** `HELMDECK_*` names that other parts of a deployment read, such as Compose files and scripts; the server ignores them. */
export const FOREIGN = new Set([
  'HELMDECK_VERSION',
  'HELMDECK_IMAGE',
  'HELMDECK_PUBLISH',
  'HELMDECK_QMD_URL',
  'HELMDECK_DOCKER_GID',
  'HELMDECK_SKIP_GITHUB',
]);
