import type { HarvestRule } from './rules/rule.ts';

// The key of a statement: a path from general to particular, the same whenever the same thing is said.

interface KeyedStatement {
  /** The sentence in lower case. */
  text: string;
  /** What it refers to, if it does not say so itself. */
  context?: string;
  rule: HarvestRule;
  project?: string;
}

/** A subject that statements are about. One with a single value has no more words in its key: a new value replaces it. */
interface Topic {
  name: string;
  words: RegExp;
  isSingle?: true;
}

/** Words of the person's own life, under `user/`. */
const PERSONAL_TOPICS: readonly Topic[] = [
  {
    name: 'name',
    words:
      /\b(?:my (?:full |first )?name|call me|nenn(?:e)? mich|ich heiße|mein name|je m'appelle|appelle-moi|me llamo|llámame|i'm called)(?=\W|$)/,
    isSingle: true,
  },
  {
    name: 'location',
    words: /\b(?:i live|i moved|based in|i reside|ich wohne|ich lebe|j'habite|je vis|vivo)\b/,
    isSingle: true,
  },
  {
    name: 'work',
    words: /\b(?:i work|i'm an?|i am an?|my (?:job|role|title|employer)|ich arbeite|je travaille|trabajo)\b/,
  },
  {
    name: 'diet',
    words:
      /\b(?:vegetarian|vegan|gluten|eat|drink|meat|lactose|esse|vegetarier|végétarien|mange|como|vegetarian[oa])\b/,
  },
  { name: 'allergies', words: /\b(?:allergic|allergy|allergisch|allergique|alérgic[oa])\b/ },
  { name: 'languages', words: /\b(?:i speak|ich spreche|je parle|hablo)\b/ },
  {
    name: 'family',
    words:
      /\b(?:wife|husband|partner|son|daughter|kids?|children|mother|father|mom|mum|dad|brother|sister|frau|sohn|tochter|femme|mari|fils|fille|mujer|marido|hij[oa])\b/,
  },
  { name: 'timezone', words: /\b(?:time ?zone|zeitzone|fuseau)\b/, isSingle: true },
];

/** Subjects of preferences, decisions and facts, most particular first. */
const TOPICS: readonly Topic[] = [
  { name: 'name', words: /\b(?:call me|nenn(?:e)? mich|appelle-moi|llámame)(?=\W|$)/, isSingle: true },
  { name: 'commit-messages', words: /\b(?:commit messages?|commits?)\b/ },
  { name: 'pull-requests', words: /\b(?:pull requests?|prs?|merge requests?|code reviews?)\b/ },
  {
    name: 'answer-language',
    words:
      /\b(?:(?:answer|reply|respond|speak|talk|antworte\p{L}*|réponds|responda?s?|contesta)\b.{0,20}\b(?:in|auf|en) \p{L}+)/u,
    isSingle: true,
  },
  {
    name: 'answer-style',
    words:
      /\b(?:answers?|repl(?:y|ies)|responses?|explanations?|recaps?|summar(?:y|ies)|antworten|réponses|respuestas|concise|brief)\b/,
  },
  {
    name: 'editor',
    words: /\b(?:vim|neovim|emacs|vs ?code|jetbrains|intellij|editor|ide|sublime|zed|helix)\b/,
    isSingle: true,
  },
  {
    name: 'indentation',
    words: /\b(?:tabs?|spaces|indent(?:ation)?|einrück\p{L}*|indentation|sangría)\b/u,
    isSingle: true,
  },
  {
    name: 'package-manager',
    words: /\b(?:npm|pnpm|yarn|bun|poetry|pipenv|uv|conda|package manager)\b/,
    isSingle: true,
  },
  { name: 'spelling', words: /\b(?:spelling|spelled|spelt|british|american english)\b/ },
  { name: 'comments', words: /\b(?:comments?|kommentare|commentaires|comentarios)\b/ },
  { name: 'naming', words: /\b(?:naming|names? (?:of|for)|camelcase|snake_case|kebab-case)\b/ },
  { name: 'tests', words: /\b(?:tests?|testing|pytest|jest|vitest|unittest|coverage|pruebas)\b/ },
  { name: 'linting', words: /\b(?:lint(?:er|ing)?|eslint|biome|prettier|formatter)\b/ },
  { name: 'documentation', words: /\b(?:docs?|documentation|readme|changelog|dokumentation)\b/ },
  { name: 'branches', words: /\b(?:branch(?:es)?|trunk|main|master|rebase|squash)\b/ },
  {
    name: 'deploy',
    words:
      /\b(?:deploy\p{L}*|release[sd]?|rollout|kustomize|helm|argo ?cd|flux|ship(?:ping)?|déploi\p{L}*|despleg\p{L}*)\b/u,
  },
  {
    name: 'ci',
    words: /\b(?:ci|ci\/cd|jenkins|buildkite|github actions|gitlab ci|circleci|pipelines?|builds?|bazel)\b/,
  },
  {
    name: 'database',
    words:
      /\b(?:databases?|db|postgres(?:ql)?|mysql|mariadb|sqlite|mongo(?:db)?|cockroachdb|patroni|datenbank|base de données|base de datos|migrations?|schema)\b/,
  },
  { name: 'cache', words: /\b(?:redis|memcached|valkey|caches?|caching)\b/ },
  { name: 'queue', words: /\b(?:kafka|rabbitmq|nats|sqs|queues?)\b/ },
  {
    name: 'monitoring',
    words:
      /\b(?:monitoring|grafana|prometheus|datadog|alerts?|tracing|opentelemetry|loki|logs?|logging|on-call)\b/,
  },
  {
    name: 'infrastructure',
    words:
      /\b(?:kubernetes|k8s|clusters?|terraform|nodes?|servers?|hosting|hosted|cloud|aws|gcp|azure|hetzner|ovh|regions?|buckets?|vpn|ports?|dns|tls|certificates?|serveur|servidor)\b/,
  },
  { name: 'auth', words: /\b(?:auth|login|oauth|sso|oidc|sessions?|passwords?)\b/ },
  { name: 'api', words: /\b(?:api|endpoints?|openapi|graphql|rest|grpc)\b/ },
  { name: 'frontend', words: /\b(?:frontend|react|vue|svelte|angular|css|tailwind|storybook|ui)\b/ },
  {
    name: 'language',
    words: /\b(?:typescript|javascript|python|rust|golang|kotlin|java|swift|ruby|php|c\+\+|elixir|scala)\b/,
  },
  { name: 'meetings', words: /\b(?:meetings?|calls?|stand-?ups?|réunion|reunión|besprechung)\b/ },
  { name: 'travel', words: /\b(?:flights?|airlines?|seats?|hotels?|trains?|trips?)\b/ },
  { name: 'food', words: /\b(?:food|recipes?|restaurants?|coffee|tea|meals?)\b/ },
  { name: 'security', words: /\b(?:security|secrets?|gdpr|encryption|vulnerabilit\p{L}*)\b/u },
  { name: 'schedule', words: /\b(?:sprints?|deadlines?|launch|milestones?|roadmap|freeze)\b/ },
];

const STOP_WORDS = new Set(
  (
    "a an the and or but of to in on at for with from by as is are was were be been being am do does did have has had i me my mine we us our you your he she it its they them their this that these those there here not no never always usually please just also only all any every each some more most very really so then than too now from will shall would should can could must may might let lets go going use uses used using keep make want like prefer prefers hate love need needs get got one if when whenever before after until about into over out up down off instead rather decided decide agreed remember note actually wrong correction runs run lives live happens happen called call listens listen goes named name write writes written has located hosted heißt läuft liegt appelle tourne llama corre i'm i'll i'd i've we're we'll we've it's that's don't doesn't let's " +
    'der die das ein eine einen und oder aber von zu im in am auf für mit aus bei ist sind war ich mir mich mein meine wir uns unser unsere du dein es sie nicht kein keine nie immer bitte ab jetzt haben habe hat wird werden den dem des ' +
    'le la les un une des du de et ou mais à en sur pour avec par est sont je me mon ma mes nous notre nos on tu ton ta il elle ne pas plus jamais toujours ce cette a au aux désormais ' +
    'el los las unos unas y o pero del al por para con es son está están yo mi mis nosotros nuestro nuestra tu su lo se no nunca siempre que me'
  ).split(' '),
);

const ENVIRONMENT = /\b(?:staging|production|prod|development|dev|test|preview|local)\b/;
const MAX_WORDS = 3;
const MAX_SLUG_CHARS = 48;

export function keyFor({ text, context, rule, project }: KeyedStatement): string {
  const about = context === undefined ? text : `${text} ${context.toLowerCase()}`;
  const personal = rule.isPersonal && rule.category === 'facts';
  const topic = (personal ? PERSONAL_TOPICS : TOPICS).find(({ words }) => words.test(about));
  const folder = folderOf(rule, project, text);
  if (topic?.isSingle && rule.category !== 'commitments') return `${folder}/${topic.name}`;
  const topicWords = topic
    ? [...about.matchAll(new RegExp(topic.words.source, `${topic.words.flags.replace('g', '')}g`))].join(' ')
    : '';
  const words = contentWords(rule.category === 'corrections' && context ? about : text).filter(
    (word) => !topicWords.includes(word),
  );
  const environment = ENVIRONMENT.exec(text)?.[0];
  const rest = [...new Set([...(environment ? [environment] : []), ...words])].slice(0, MAX_WORDS);
  const leaf = slug(rest.join(' '));
  if (!topic) return `${folder}/${leaf || 'note'}`;
  return leaf === '' ? `${folder}/${topic.name}` : `${folder}/${topic.name}/${leaf}`;
}

/** Whether the statement with this key is about the project of the conversation, and not about the person. */
export const isAboutProject = (key: string) => key.startsWith('project/');

function folderOf({ category, isPersonal }: HarvestRule, project: string | undefined, text: string): string {
  const name = project === undefined ? undefined : projectSlug(project);
  const inProject = name === undefined ? undefined : `project/${name}`;
  switch (category) {
    case 'preferences':
      return inProject && /\bthis (?:project|repo|repository|codebase)\b/.test(text)
        ? `${inProject}/preferences`
        : 'preferences';
    case 'decisions':
      return inProject ? `${inProject}/decisions` : 'decisions';
    case 'commitments':
      return 'commitments';
    case 'facts':
      return isPersonal ? 'user' : (inProject ?? 'facts');
    // A correction has the key of the fact that it corrects.
    case 'corrections':
      return inProject ?? 'facts';
  }
}

/** The last part of a path or an address of a repository. */
function projectSlug(project: string): string | undefined {
  const last =
    project
      .replace(/\.git$/, '')
      .split(/[/\\:]/)
      .filter(Boolean)
      .at(-1) ?? '';
  return slug(last) || undefined;
}

function contentWords(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'._+-]*/gu) ?? [];
  const content = words
    .map((word) => word.replace(/[.'_-]+$/, ''))
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word));
  // A number is what changes about a fact, so it would give the new value another key.
  const lasting = content.filter((word) => !/^\d/.test(word));
  return lasting.length === 0 ? content : lasting;
}

export function slug(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_SLUG_CHARS)
    .replace(/^-+|-+$/g, '');
}
