import type { Pack } from '../engine/pack/pack.ts';
import { artifactDeletePack } from './artifacts/artifact-delete.ts';
import { artifactGetPack } from './artifacts/artifact-get.ts';
import { artifactListPack } from './artifacts/artifact-list.ts';
import { artifactPutPack } from './artifacts/artifact-put.ts';
import type { GithubApi } from './github/github-api.ts';
import { githubGetIssuePack } from './github/github-get-issue.ts';
import { githubListIssuesPack } from './github/github-list-issues.ts';
import { githubSearchPack } from './github/github-search.ts';
import { httpFetchPack } from './http/http-fetch.ts';
import { blogRewritePack } from './language-model/blog-rewrite-for-audience.ts';
import type { Gateway } from './language-model/gateway.ts';
import type { MemoryAccess } from './memory/memory-access.ts';
import { memoryConfirmPack } from './memory/memory-confirm.ts';
import { memoryCorpusPack } from './memory/memory-corpus.ts';
import { memoryForgetPack } from './memory/memory-forget.ts';
import { memoryHistoryPack } from './memory/memory-history.ts';
import { memoryRecallPack } from './memory/memory-recall.ts';
import { memoryStorePack } from './memory/memory-store.ts';
import { memoryStoreManyPack } from './memory/memory-store-many.ts';
import { type PlanAccess, planPack } from './plan.ts';
import { type RouteAccess, routePack } from './route.ts';
import type { VaultAccess } from './vault/vault-access.ts';
import { vaultDeletePack } from './vault/vault-delete.ts';
import { vaultListPack } from './vault/vault-list.ts';
import { vaultReadPack } from './vault/vault-read.ts';
import { vaultWritePack } from './vault/vault-write.ts';

/** What built-in packs need from the server. */
export interface BuiltInParts {
  memory: MemoryAccess;
  vault: VaultAccess;
  github: GithubApi;
  route: RouteAccess & PlanAccess;
  /** Without it, packs that need a language model are left out. */
  gateway: Gateway | undefined;
}

/** All built-in packs. */
export function builtInPacks({ memory, vault, github, route, gateway }: BuiltInParts): Pack[] {
  return [
    memoryStorePack(memory),
    memoryStoreManyPack(memory),
    memoryRecallPack(memory),
    memoryConfirmPack(memory),
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
    planPack(route, gateway),
    ...(gateway ? [blogRewritePack(gateway)] : []),
  ];
}
