import type { BrowserFixture } from './browser-fixture.ts';

const DAY = 86_400;

/** Facts as a user of several agents would have them. */
const FACTS: [key: string, value: string, category: string, tags: string[], days?: number][] = [
  [
    'blog/release-posts',
    'Announce a deploy only once it is in production; omit Stripe links, legal hold.',
    'dislikes',
    ['blog'],
    48,
  ],
  [
    'blog/tone',
    'Short sentences, no exclamation marks, British spelling.',
    'preferences',
    ['blog', 'writing'],
  ],
  [
    'preferences/slides/theme',
    'Slides for the platform team use helmdeck-dark; deploy diagrams in landscape.',
    'preferences',
    ['slides'],
    62,
  ],
  [
    'preferences/slides/length',
    'Never more than twelve slides for a weekly review.',
    'preferences',
    ['slides'],
    6,
  ],
  [
    'preferences/lang/default',
    'Write TypeScript unless the repository says otherwise.',
    'preferences',
    ['code'],
  ],
  [
    'people/platform-team',
    'Ask Mara before a deploy that touches the ingress; she is on call in odd weeks.',
    'user_facts',
    ['people'],
    76,
  ],
  ['people/mara', 'Mara prefers a message over a call, and is away on Fridays.', 'user_facts', ['people']],
  [
    'runbooks/rollback',
    'Roll back by reverting the release commit; Konflux redeploys the previous snapshot.',
    'user_facts',
    ['release', 'incident'],
    82,
  ],
  [
    'runbooks/database/restore',
    'Restore from the nightly snapshot into a new volume, then switch the service over:\n\n```sh\nhelmctl restore --latest --to vol-2\n```',
    'runbooks',
    ['incident'],
  ],
  [
    'preferences/frontend-framework',
    'React over Vue (Konflux project constraint)',
    'preferences',
    ['frontend', 'konflux'],
    89,
  ],
  [
    'konflux/limits',
    '{"cpu":"2","memory":"4Gi","replicas":{"min":2,"max":6}}',
    'deploy_targets',
    ['konflux'],
  ],
  [
    'konflux/ci/freeze',
    'No deploys from Friday 16:00 to Monday 08:00 CET.',
    'project_conventions',
    ['release'],
    5,
  ],
  [
    'konflux/ci/cache',
    'The CI cache lives for two days; clear it with the label no-cache.',
    'project_conventions',
    ['ci'],
    3,
  ],
  [
    'konflux/registry/push',
    'Images go to quay.io/platform; Konflux signs them before any deploy.',
    'deploy_targets',
    ['konflux', 'images'],
    84,
  ],
  [
    'konflux/hotfix',
    'For a Sev 1 hotfix, kubectl apply is fine; open the Konflux deploy right after.',
    'project_conventions',
    ['incident'],
    64,
  ],
];

const DEPLOY = (end: string) =>
  `I always deploy via Konflux, never manual \`kubectl\`.\n\n- Staging first, then production ${end}\n- Release notes link the snapshot id`;

/** Stores the facts, with a history and several sources. */
export async function storeSampleMemory({ api, sandbox, server, token }: BrowserFixture): Promise<void> {
  const as = async (client: string, name: string) => {
    const scopes = ['memory:read', 'memory:write'];
    const answer = await api('POST', '/tokens', { name, client, scopes });
    return ((await answer.json()) as { token: string }).token;
  };
  const clients = [
    await as('claude-code', 'laptop'),
    await as('openclaw', 'claw-bridge'),
    await as('gemini-cli', 'gem'),
    token,
  ];
  const store = async (bearer: string, fact: object) => {
    const answer = await fetch(`${server.url}/api/v1/memory/store`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(fact),
    });
    if (!answer.ok) throw new Error(`${sandbox.dir}: ${answer.status} ${await answer.text()}`);
  };
  for (const [index, [key, value, category, tags, days = 90]] of FACTS.entries()) {
    await store(clients[index % 3]!, { key, value, category, tags, ttl_seconds: days * DAY });
  }
  const shared = { key: 'konflux/deploy', category: 'project_conventions', tags: ['konflux', 'release'] };
  await store(clients[0]!, { ...shared, value: DEPLOY('at once') });
  await store(clients[1]!, { ...shared, value: DEPLOY('when green') });
  await store(clients[0]!, { ...shared, value: DEPLOY('after sign-off'), ttl_seconds: 71 * DAY });
}
