import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import type { GithubApi } from './github-api.ts';
import { issueOf, issueShape, REPO } from './github-shapes.ts';

const CACHE_SECONDS = 300;
const BODY_CHARS = 65_536;

/** `github.get_issue`: one issue with its whole text. */
export function githubGetIssuePack(github: GithubApi): Pack {
  return definePack({
    name: 'github.get_issue',
    version: 'v1',
    description: 'Get one issue or pull request of a GitHub repository with its text. Kept for five minutes.',
    input: z.strictObject({
      repo: REPO,
      issue_number: z.int().min(1).max(2_147_483_647).describe('Number of the issue'),
    }),
    output: issueShape,
    memory: { cache: { ttlSeconds: CACHE_SECONDS } },
    external: true,
    metadata: {
      accepts: ['github_repository', 'issue_number'],
      produces: ['issue'],
      intent_keywords: ['get issue', 'read the issue', 'issue details', 'show ticket'],
      typical_use: 'Reading one issue before working on it.',
      limitations: ['Without its comments.', 'Up to five minutes old.'],
    },
    async handler(ec) {
      const { repo, issue_number: number } = ec.input;
      const { json } = await github.get(ec, `/repos/${repo}/issues/${number}`);
      return issueOf(json, BODY_CHARS);
    },
  });
}
