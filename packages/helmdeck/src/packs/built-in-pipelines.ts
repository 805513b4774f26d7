import type { BuiltInPipeline } from '../engine/pipeline/pipelines.ts';

const text = (description: string) => ({ type: 'string', description });

/** All built-in pipelines; one whose packs are missing is left out. */
export const BUILT_IN_PIPELINES: readonly BuiltInPipeline[] = [
  {
    id: 'builtin.issues-digest',
    name: 'Issues digest',
    description:
      'List the issues of a GitHub repository, keep them as a Markdown artifact, and remember where.',
    inputs: {
      repo: text('owner/name'),
      state: text('open, closed or all; default open'),
      labels: text('only issues with these labels, separated by commas'),
    },
    steps: [
      {
        id: 'issues',
        pack: 'github.list_issues',
        input: {
          repo: '${{ inputs.repo }}',
          state: '${{ inputs.state }}',
          labels: '${{ inputs.labels }}',
        },
      },
      {
        id: 'digest',
        pack: 'artifact.put',
        input: {
          content: '# Issues of ${{ inputs.repo }}\n\n${{ steps.issues.output.markdown }}\n',
          kind: 'markdown',
          filename: 'issues-digest.md',
        },
      },
      {
        id: 'remember',
        pack: 'helmdeck.memory_store',
        input: {
          key: 'digests/issues/${{ inputs.repo }}',
          value:
            '${{ steps.issues.output.count }} issues of https://github.com/${{ inputs.repo }}, kept as the artifact ${{ steps.digest.output.artifact_key }}',
          category: 'digests',
          tags: ['github', 'issues'],
        },
      },
    ],
    metadata: {
      accepts: ['github_repository'],
      produces: ['artifact', 'user_fact'],
      intent_keywords: ['issues digest', 'summary of issues', 'keep the open issues', 'issue report'],
      typical_use: 'A record of what is open in a repository, to come back to.',
      limitations: ['At most 100 issues.', 'The artifact is gone after seven days.'],
      supersedes: ['github.list_issues'],
    },
  },
  {
    id: 'builtin.fetch-to-fact',
    name: 'Page to fact',
    description:
      'Fetch a page, keep it as an artifact, and remember it under a key with a link to its source.',
    inputs: {
      url: text('address of the page'),
      key: text('key of the fact'),
      note: text('what it is about'),
    },
    steps: [
      { id: 'page', pack: 'http.fetch', input: { url: '${{ inputs.url }}' } },
      {
        id: 'keep',
        pack: 'artifact.put',
        input: {
          content: '${{ steps.page.output.body }}',
          encoding: '${{ steps.page.output.encoding }}',
          filename: 'page',
          content_type: '${{ steps.page.output.content_type }}',
        },
      },
      {
        id: 'remember',
        pack: 'helmdeck.memory_store',
        input: {
          key: '${{ inputs.key }}',
          value:
            '${{ inputs.note }} Source: ${{ inputs.url }} (status ${{ steps.page.output.status }}), kept as the artifact ${{ steps.keep.output.artifact_key }}',
          category: 'sources',
          tags: ['source'],
        },
      },
    ],
    metadata: {
      accepts: ['url'],
      produces: ['artifact', 'user_fact'],
      intent_keywords: ['remember this page', 'save this page', 'keep this link', 'bookmark'],
      typical_use: 'The user wants to come back to a page, or to quote it later.',
      limitations: ['Public addresses only.', 'The artifact is gone after seven days.'],
      supersedes: ['http.fetch'],
    },
  },
  {
    id: 'builtin.brief-rewrite-blog',
    name: 'Brief to blog post',
    description: 'Rewrite a brief as a blog post for an audience, and keep it as an artifact.',
    inputs: {
      brief: text('what to write about'),
      persona: text('who speaks'),
      audience: text('who reads it'),
      angle: text('what to look at it from'),
      title: text('title of the post'),
      model: text('language model'),
    },
    steps: [
      {
        id: 'rewrite',
        pack: 'blog.rewrite_for_audience',
        input: {
          source_content: '${{ inputs.brief }}',
          persona: '${{ inputs.persona }}',
          audience: '${{ inputs.audience }}',
          angle: '${{ inputs.angle }}',
          title: '${{ inputs.title }}',
          model: '${{ inputs.model }}',
        },
      },
      {
        id: 'keep',
        pack: 'artifact.put',
        input: { content: '${{ steps.rewrite.output.markdown }}', kind: 'blog' },
      },
    ],
    metadata: {
      accepts: ['brief', 'text'],
      produces: ['blog', 'artifact'],
      intent_keywords: ['blog post from a brief', 'write a blog post', 'draft a blog'],
      typical_use: 'A few notes are to become a post that can be handed on.',
      limitations: ['Checks no facts.', 'The artifact is gone after seven days.'],
      supersedes: ['blog.rewrite_for_audience'],
    },
  },
];
