import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import type { GithubApi } from './github-api.ts';
import { checked, type Issue, issueOf, issueShape, REPO } from './github-shapes.ts';

const CACHE_SECONDS = 300;
const PAGE = '100';
const BODY_CHARS = 2_000;

/** `github.list_issues`: the issues of a repository. An example of a cached pack: one line enables the cache. */
export function githubListIssuesPack(github: GithubApi): Pack {
  return definePack({
    name: 'github.list_issues',
    version: 'v1',
    description:
      'List issues of a GitHub repository, newest first, at most 100. Results are kept for five minutes.',
    input: z.strictObject({
      repo: REPO,
      state: z.enum(['open', 'closed', 'all']).optional().describe('Which issues; default open'),
      labels: z
        .union([z.string().max(1_000), z.array(z.string().max(100)).max(20)])
        .optional()
        .describe('Only issues with all of these labels: a list, or names separated by commas'),
      assignee: z.string().max(100).optional().describe('Login of the assignee, "none", or "*" for any'),
    }),
    output: z.object({
      issues: z.array(issueShape),
      count: z.int(),
      markdown: z.string().describe('The same as a Markdown list, for people and documents'),
      more: z.boolean().optional().describe('true when there are more than these'),
    }),
    memory: { cache: { ttlSeconds: CACHE_SECONDS } },
    external: true,
    metadata: {
      accepts: ['github_repository'],
      produces: ['issues'],
      intent_keywords: [
        'list issues',
        'open issues',
        'github issues',
        'bug reports',
        'what is being worked on',
      ],
      typical_use: 'An overview of what is open in a repository.',
      limitations: ['At most 100 issues; bodies are cut at 2,000 characters.', 'Up to five minutes old.'],
    },
    async handler(ec) {
      const { repo, state, labels, assignee } = ec.input;
      const query = {
        state: state ?? 'open',
        labels: Array.isArray(labels) ? labels.join(',') : labels,
        assignee,
        per_page: PAGE,
      };
      const { json, more } = await github.get(ec, `/repos/${repo}/issues`, query);
      // GitHub counts pull requests among the issues.
      const issues = checked(z.array(z.unknown()), json)
        .map((issue) => issueOf(issue, BODY_CHARS))
        .filter((issue) => !issue.is_pull_request);
      const markdown = issues.map(markdownLine).join('\n') || 'No issues.';
      return { issues, count: issues.length, markdown, ...(more ? { more } : {}) };
    },
  });
}

/** Titles are other people's text: brackets in them must not end the link. */
function markdownLine({ number, title, url, labels }: Issue): string {
  const text = title.replaceAll(/\s+/g, ' ').replaceAll(/[[\]\\]/g, '\\$&');
  const tags = labels.length > 0 ? ` (${labels.join(', ')})` : '';
  return `- [#${number} ${text}](${url})${tags}`;
}
