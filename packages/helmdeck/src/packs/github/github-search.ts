import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import type { GithubApi } from './github-api.ts';
import { checked, issueOf } from './github-shapes.ts';

const BODY_CHARS = 1_000;
const PAGE = '30';

const searchResponse = z.object({
  total_count: z.int(),
  incomplete_results: z.boolean().optional(),
  items: z.array(z.unknown()),
});
const named = z.object({ full_name: z.string() });
const repository = named.extend({
  html_url: z.string(),
  description: z.string().nullish(),
  language: z.string().nullish(),
  stargazers_count: z.int().optional(),
  updated_at: z.string().optional(),
});
const code = z.object({ path: z.string(), sha: z.string(), html_url: z.string(), repository: named });
const commit = z.object({
  sha: z.string(),
  html_url: z.string(),
  repository: named,
  commit: z.object({
    message: z.string(),
    author: z.object({ name: z.string().nullish(), date: z.string().nullish() }).nullish(),
  }),
});

/** The fields of a hit, by type of search. */
const ITEMS: Record<
  'issues' | 'code' | 'repositories' | 'commits',
  (item: unknown) => Record<string, unknown>
> = {
  issues: (item) => issueOf(item, BODY_CHARS),
  repositories(item) {
    const { full_name: repo, html_url: url, description, language, ...rest } = checked(repository, item);
    const { stargazers_count: stars, updated_at } = rest;
    return { repo, url, description: description ?? '', language: language ?? undefined, stars, updated_at };
  },
  code(item) {
    const { path, sha, html_url: url, repository: found } = checked(code, item);
    return { repo: found.full_name, path, sha, url };
  },
  commits(item) {
    const { sha, html_url: url, repository: found, commit: made } = checked(commit, item);
    const { name, date } = made.author ?? {};
    const message = made.message.slice(0, BODY_CHARS).toWellFormed();
    return { repo: found.full_name, sha, url, message, author: name ?? undefined, date: date ?? undefined };
  },
};

/** `github.search`: GitHub's own search. */
export function githubSearchPack(github: GithubApi): Pack {
  return definePack({
    name: 'github.search',
    version: 'v1',
    description: 'Search GitHub for issues, code, repositories or commits; the 30 best hits.',
    input: z.strictObject({
      query: z
        .string()
        .trim()
        .min(1)
        .max(256)
        .describe('In the words of GitHub search: "memory leak repo:owner/name is:open"'),
      type: z
        .enum(['issues', 'code', 'repositories', 'commits'])
        .optional()
        .describe('What to search; default issues'),
    }),
    output: z.object({
      total_count: z.int(),
      items: z.array(z.record(z.string(), z.unknown())),
      incomplete: z.boolean().optional().describe('true when GitHub ran out of time'),
    }),
    external: true,
    metadata: {
      accepts: ['search_query'],
      produces: ['issues', 'repositories', 'code', 'commits'],
      intent_keywords: ['search github', 'find a repository', 'find issues about', 'who uses'],
      typical_use: 'Finding an issue or a repository whose name is not known.',
      limitations: ['The 30 best hits.', 'Searching code needs a token in the vault.'],
    },
    async handler(ec) {
      const { query, type = 'issues' } = ec.input;
      const { json } = await github.get(ec, `/search/${type}`, { q: query, per_page: PAGE });
      const { total_count, incomplete_results: incomplete, items } = checked(searchResponse, json);
      // The round trip drops undefined fields.
      const shown = items.map(
        (item) => JSON.parse(JSON.stringify(ITEMS[type](item))) as Record<string, unknown>,
      );
      return { total_count, items: shown, ...(incomplete ? { incomplete } : {}) };
    },
  });
}
