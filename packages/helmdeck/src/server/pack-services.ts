import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type ArtifactService, createArtifactService } from '../artifacts/artifact-service.ts';
import type { BlobStore } from '../artifacts/blob-store.ts';
import { createFileBlobs } from '../artifacts/file-blobs.ts';
import { createMemoryBlobs } from '../artifacts/memory-blobs.ts';
import { openS3Blobs } from '../artifacts/s3-blobs.ts';
import type { PackServices } from '../engine/pack/pack-services.ts';
import { AppError, toAppError } from '../errors.ts';
import { parseMasterKey } from '../memory/crypto/keyring.ts';
import type { MemoryParts } from '../memory/memory.ts';
import { createEgressPolicy } from '../packs/egress/egress-policy.ts';
import { createGuardedFetch } from '../packs/egress/guarded-fetch.ts';
import { createGithubApi, type GithubApi } from '../packs/github/github-api.ts';
import { usableSecret, type VaultAccess } from '../packs/vault/vault-access.ts';
import type { RestLog } from '../surfaces/rest/route.ts';
import { openVault, type VaultService } from '../vault/vault.ts';
import type { Config } from './config/config.ts';
import { isInMemory } from './config/config-values.ts';
import { VERSION } from './process/version.ts';

/** The services that packs use: vault, artifacts, outgoing HTTP and GitHub. Using one that could not be opened throws the reason. */
export interface OpenPackServices {
  vault: VaultAccess;
  /** What erases secrets, or why the vault could not be opened. */
  vaultService: VaultService | AppError;
  /** Absent if their storage could not be opened. */
  artifacts: ArtifactService | undefined;
  github: GithubApi;
  services: PackServices;
}

export interface PackServiceOptions {
  memory: { parts: MemoryParts } | undefined;
  /** Why memory is off; without its store there is neither vault nor artifacts. */
  memoryProblem: AppError | undefined;
  now: () => number;
  log: RestLog;
}

const USER_AGENT = `helmdeck/${VERSION}`;

export async function openPackServices(
  config: Config,
  options: PackServiceOptions,
): Promise<OpenPackServices> {
  const { memoryProblem, now, log } = options;
  const parts = options.memory?.parts;
  const vaultService = parts ? await tryVault(config, parts, log) : vaultOffError(memoryProblem!);
  const artifactService = parts ? await tryArtifacts(config, parts, log) : memoryProblem!;
  const artifacts = artifactService instanceof AppError ? undefined : artifactService;
  const vault: VaultAccess = {
    isOpen: !(vaultService instanceof AppError),
    vaultOf(caller) {
      if (vaultService instanceof AppError) throw vaultService;
      return vaultService.of(caller);
    },
  };
  const artifactsOrThrow = () => {
    if (artifactService instanceof AppError) throw artifactService;
    return artifactService;
  };
  return {
    vault,
    vaultService,
    artifacts,
    github: createGithubApi({ baseUrl: config.githubApiUrl, userAgent: USER_AGENT, vault, now }),
    services: packServices(config, vault, artifactsOrThrow),
  };
}

async function tryVault(config: Config, parts: MemoryParts, log: RestLog): Promise<VaultService | AppError> {
  if (config.vaultKey === undefined) {
    return new AppError('vault_unavailable', 'This server has no vault, because no vault key is set.', {
      reason: 'no_key',
    });
  }
  try {
    return await openVault({
      parts,
      key: parseMasterKey(config.vaultKey, 'HELMDECK_VAULT_KEY'),
      previousKeys: config.vaultKeysPrevious.map((key) => parseMasterKey(key, 'HELMDECK_VAULT_KEY_PREVIOUS')),
    });
  } catch (thrown) {
    const problem = toAppError(thrown);
    log.error({ reason: problem.reason }, `THE VAULT IS CLOSED: ${problem.message} ${problem.hint}`);
    return problem.code === 'vault_unavailable'
      ? problem
      : new AppError('vault_unavailable', 'The vault cannot be opened.', { cause: thrown });
  }
}

function vaultOffError({ reason, hint }: AppError): AppError {
  return new AppError('vault_unavailable', 'The vault is closed while memory is off.', { reason, hint });
}

async function tryArtifacts(
  config: Config,
  parts: MemoryParts,
  log: RestLog,
): Promise<ArtifactService | AppError> {
  if (parts.store.sharing && !config.s3)
    log.warn(
      {},
      'artifacts are stored as files on this node only; with several nodes, use S3 (HELMDECK_S3_BUCKET)',
    );
  try {
    return createArtifactService({ parts, blobs: await openBlobs(config, parts) });
  } catch (thrown) {
    const problem = toAppError(thrown);
    log.error({ reason: problem.reason }, `ARTIFACTS ARE OFF: ${problem.message} ${problem.hint}`);
    return problem;
  }
}

async function openBlobs(config: Config, parts: MemoryParts): Promise<BlobStore> {
  const folder = ownFolder(config, parts);
  if (config.s3) return openS3Blobs({ ...config.s3, folder: `artifacts/${folder}` });
  if (isInMemory(config.db)) return createMemoryBlobs();
  return createFileBlobs(join(config.dataDir, 'artifacts', folder));
}

/** A folder per database, so that servers sharing a bucket or data folder do not collect each other's bytes as orphans. */
function ownFolder({ db }: Config, { directory }: MemoryParts): string {
  const hash = createHash('sha256').update('helmdeck/1/artifacts\n');
  // An ephemeral key changes with each start, but the orphans of the last one must still be found.
  if (directory.ephemeral) hash.update(`ephemeral\n${resolve(db)}`);
  else hash.update(directory.idOf({ subject: undefined }));
  return hash.digest('hex').slice(0, 16);
}

function packServices(config: Config, vault: VaultAccess, artifacts: () => ArtifactService): PackServices {
  const policy = createEgressPolicy(config.egressAllowlist);
  return {
    vaultOf: (caller) => ({
      async read(name) {
        const secret = await vault.vaultOf(caller).get(name);
        if (secret) return secret.value;
        throw new AppError('credential_invalid', 'There is no such secret in your vault.', {
          reason: 'unknown_secret',
          hint: 'Write it with the pack "vault.write".',
        });
      },
      async write(name, value) {
        await vault.vaultOf(caller).set(name, value);
      },
    }),
    artifactsOf: (caller) => ({
      put: async (artifact) => artifacts().of(caller).put(artifact),
      get: async (key) => artifacts().of(caller).get(key),
      list: async (page) => artifacts().of(caller).list(page),
      delete: async (key) => artifacts().of(caller).delete(key),
    }),
    fetchOf: (caller, scopes, foreignData) =>
      createGuardedFetch({
        policy,
        userAgent: USER_AGENT,
        foreignData,
        secretsBoundTo: async (host) => (vault.isOpen ? vault.vaultOf(caller).boundTo(host) : []),
        secret: async (name) => usableSecret(await vault.vaultOf(caller).get(name), scopes),
      }),
  };
}
