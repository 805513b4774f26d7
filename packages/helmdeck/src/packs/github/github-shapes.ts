import { z } from 'zod';
import { AppError } from '../../errors.ts';

/** An issue as packs return it: a tenth of what GitHub returns. */
export const issueShape = z.object({
  number: z.int(),
  title: z.string(),
  state: z.string(),
  url: z.string(),
  author: z.string().optional(),
  labels: z.array(z.string()),
  assignees: z.array(z.string()),
  comments: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().optional(),
  body: z.string().describe('Markdown'),
  body_truncated: z.boolean().optional().describe('true when the body was cut'),
  is_pull_request: z.boolean().optional(),
});
export type Issue = z.infer<typeof issueShape>;

export const REPO = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/)
  .describe('The repository, as owner/name');

const login = z.object({ login: z.string() }).nullish();

/** The part of GitHub's issue that is read; missing fields become empty, wrong types are rejected. */
const githubIssue = z.object({
  number: z.int(),
  title: z.string(),
  state: z.string(),
  html_url: z.string(),
  user: login,
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).default([]),
  assignees: z.array(z.object({ login: z.string() })).nullish(),
  comments: z.int().default(0),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullish(),
  body: z.string().nullish(),
  pull_request: z.unknown().optional(),
});

export function issueOf(json: unknown, maxBodyChars: number): Issue {
  const issue = checked(githubIssue, json);
  const body = issue.body ?? '';
  return {
    number: issue.number,
    title: issue.title,
    state: issue.state,
    url: issue.html_url,
    ...(issue.user ? { author: issue.user.login } : {}),
    labels: issue.labels
      .map((label) => (typeof label === 'string' ? label : (label.name ?? '')))
      .filter(Boolean),
    assignees: (issue.assignees ?? []).map((assignee) => assignee.login),
    comments: issue.comments,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    ...(issue.closed_at ? { closed_at: issue.closed_at } : {}),
    body: body.slice(0, maxBodyChars).toWellFormed(),
    ...(body.length > maxBodyChars ? { body_truncated: true } : {}),
    ...(issue.pull_request ? { is_pull_request: true } : {}),
  };
}

/** Validates a response of GitHub; an unknown shape is a failure of the remote side. */
export function checked<T extends z.ZodType>(schema: T, json: unknown): z.output<T> {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw new AppError('handler_failed', 'The response of GitHub has an unknown format.', {
    reason: 'bad_answer',
    hint: 'Check HELMDECK_GITHUB_API_URL.',
  });
}
