import type { Pack } from '../engine/pack.ts';
import { artifactDeletePack } from './artifact-delete.ts';
import { artifactGetPack } from './artifact-get.ts';
import { artifactListPack } from './artifact-list.ts';
import { artifactPutPack } from './artifact-put.ts';
import { blogRewritePack } from './blog-rewrite-for-audience.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { GithubApi } from './github/github-api.ts';
import { githubGetIssuePack } from './github-get-issue.ts';
import { githubListIssuesPack } from './github-list-issues.ts';
import { githubSearchPack } from './github-search.ts';
import { httpFetchPack } from './http-fetch.ts';
import type { MemoryAccess } from './memory-access.ts';
import { memoryCorpusPack } from './memory-corpus.ts';
import { memoryForgetPack } from './memory-forget.ts';
import { memoryHistoryPack } from './memory-history.ts';
import { memoryRecallPack } from './memory-recall.ts';
import { memoryStorePack } from './memory-store.ts';
import { type RouteAccess, routePack } from './route.ts';
import type { VaultAccess } from './vault-access.ts';
import { vaultDeletePack } from './vault-delete.ts';
import { vaultListPack } from './vault-list.ts';
import { vaultReadPack } from './vault-read.ts';
import { vaultWritePack } from './vault-write.ts';

/** What built-in packs need from the server. */
export interface BuiltInParts {
  memory: MemoryAccess;
  vault: VaultAccess;
  github: GithubApi;
  route: RouteAccess;
  /** Packs that need a language model are there only with one. */
  gateway: Gateway | undefined;
}

/** Every built-in pack: the table of contents. */
export function builtInPacks({ memory, vault, github, route, gateway }: BuiltInParts): Pack[] {
  return [
    memoryStorePack(memory),
    memoryRecallPack(memory),
    memoryForgetPack(memory),
    memoryHistoryPack(memory),
    memoryCorpusPack(memory),
    vaultWritePack(vault),
    vaultReadPack(vault),
    vaultListPack(vault),
    vaultDeletePack(vault),
    artifactPutPack(),
    artifactGetPack(),
    artifactListPack(),
    artifactDeletePack(),
    httpFetchPack(),
    githubListIssuesPack(github),
    githubGetIssuePack(github),
    githubSearchPack(github),
    routePack(route, gateway),
    ...(gateway ? [blogRewritePack(gateway)] : []),
  ];
}
