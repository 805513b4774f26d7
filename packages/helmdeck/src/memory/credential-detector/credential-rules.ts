/** A rule that recognises one type of credential. `check` decides on a match if the pattern alone is not enough. */
export interface CredentialRule {
  name: string;
  description: string;
  pattern: RegExp;
  /** The pattern runs only if the text contains at least one of these literals (case-sensitive). */
  hints?: readonly string[];
  check?: (match: RegExpExecArray) => boolean;
}

// A token may follow punctuation, an escaped newline ("\nghp_…") or a percent escape ("%3Dghp_…"), never a
// letter or digit: "task-…" is not "sk-…".
const EDGE = '(?<!(?<!\\\\|%[0-9A-F])[A-Za-z0-9])';
const ALPHABETS = { A: 'A-Za-z0-9', W: 'A-Za-z0-9_-', H: 'a-f0-9', L: 'a-z0-9', U: 'A-Z0-9' } as const;

/**
 * Tokens with a distinctive prefix: name, description, prefix (regex source), body. The body is the letter of an
 * alphabet and its minimum length; "!" means exactly that length. More specific prefixes come first.
 */
type PrefixRow = readonly [name: string, description: string, prefix: string, body: string];
const PREFIXED: readonly PrefixRow[] = [
  ['aws-access-key-id', 'AWS access key id', 'A(?:KIA|SIA|BIA|CCA)', 'U16!'],
  ['google-api-key', 'Google Cloud, Maps or Gemini API key', 'AIza', 'W32'],
  ['google-oauth-secret', 'Google OAuth client secret', 'GOCSPX-', 'W24'],
  ['google-oauth-token', 'Google OAuth access token', 'ya29\\.', 'W30'],
  ['digitalocean-token', 'DigitalOcean token', 'do[opr]_v1_', 'H40'],
  ['cloudflare-token', 'Cloudflare API token', 'cf(?:k|ut|at)_', 'A40'],
  ['cloudflare-origin-ca-key', 'Cloudflare origin CA key', 'v1\\.0-[a-f0-9]{24}-', 'H100'],
  ['heroku-api-key', 'Heroku API key', 'HRKU-', 'W30'],
  ['alibaba-access-key-id', 'Alibaba Cloud access key id', 'LTAI', 'A12'],
  ['databricks-token', 'Databricks token', 'dapi', 'H32'],
  ['hashicorp-vault-token', 'HashiCorp Vault token', 'hv[sbr]\\.', 'W24'],
  ['terraform-cloud-token', 'Terraform Cloud token', 'atlasv1\\.', 'W40'],
  ['fly-token', 'Fly.io token', 'f(?:o1|m[12][ar]?)_', 'W40'],
  ['doppler-token', 'Doppler token', 'dp\\.(?:[cps]t|sa|scim|audit)(?:\\.[a-z0-9_-]{1,35})?\\.', 'A36'],
  ['supabase-key', 'Supabase access token or secret key', 'sb(?:p|_secret)_', 'W28'],
  ['netlify-token', 'Netlify token', 'nfp_', 'A36'],
  ['planetscale-token', 'PlanetScale token or password', 'pscale_(?:tkn|pw|oauth)_', 'W32'],
  ['neon-api-key', 'Neon API key', 'napi_', 'A40'],
  ['pulumi-token', 'Pulumi token', 'pul-', 'H40'],
  ['tailscale-key', 'Tailscale key', 'tskey-(?:api|auth|client|scim|webhook)-', 'W16'],
  ['age-secret-key', 'age encryption identity', 'AGE-SECRET-KEY-1', 'U50'],
  ['1password-service-token', '1Password service account token', 'ops_eyJ', 'W40'],
  ['sentry-token', 'Sentry token', 'sntry[su]_', 'W40'],
  ['grafana-token', 'Grafana token', 'gl(?:sa|c)_', 'W32'],
  ['new-relic-key', 'New Relic key', 'NR(?:AK|II)-', 'W24'],
  ['dynatrace-token', 'Dynatrace token', 'dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.', 'U60'],
  ['posthog-personal-key', 'PostHog personal API key', 'phx_', 'A40'],
  ['shopify-token', 'Shopify token', 'shp(?:at|ca|pa|ss)_', 'A32'],
  ['linear-api-key', 'Linear API key', 'lin_(?:api|oauth)_', 'A32'],
  ['notion-token', 'Notion token', 'ntn_', 'A40'],
  ['figma-token', 'Figma token', 'figd_', 'W40'],
  ['airtable-token', 'Airtable token', 'pat[A-Za-z0-9]{14}\\.', 'H60'],
  ['postman-api-key', 'Postman API key', 'PMAK-', 'W55'],
  ['circleci-token', 'CircleCI token', 'CCI(?:PAT|PRJ)_', 'W40'],
  ['buildkite-token', 'Buildkite token', 'bkua_', 'H40'],
  ['sonar-token', 'SonarQube token', 'sq[pua]_', 'H40'],
  ['sourcegraph-token', 'Sourcegraph token', 'sgp_', 'W40'],
  ['twilio-api-key', 'Twilio API key', 'SK', 'H32!'],
  ['github-token', 'GitHub personal, OAuth, app or refresh token', 'gh[pousr]_', 'A30'],
  ['github-fine-grained-token', 'GitHub fine-grained token', 'github_pat_', 'W36'],
  ['gitlab-token', 'GitLab token', 'gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct)-', 'W20'],
  ['gitlab-runner-token', 'GitLab runner registration token', 'GR1348941', 'W20'],
  ['bitbucket-token', 'Bitbucket app password', 'ATBB', 'A24'],
  ['atlassian-api-token', 'Atlassian API token', 'AT(?:ATT3|CTT3)', 'W50'],
  ['anthropic-api-key', 'Anthropic API key', 'sk-ant-', 'W20'],
  ['openrouter-api-key', 'OpenRouter API key', 'sk-or-(?:v1-)?', 'W32'],
  ['langfuse-secret-key', 'Langfuse secret key', 'sk-lf-', 'W30'],
  ['openai-api-key', 'OpenAI project, service or admin key', 'sk-(?:proj|svcacct|admin|None)-', 'W20'],
  ['openai-style-api-key', 'OpenAI legacy key, and vendors with its form', 'sk-', 'A20'],
  ['huggingface-token', 'Hugging Face token', '(?:hf|api_org)_', 'A30'],
  ['groq-api-key', 'Groq API key', 'gsk_', 'A32'],
  ['replicate-token', 'Replicate token', 'r8_', 'A32'],
  ['xai-api-key', 'xAI API key', 'xai-', 'A32'],
  ['perplexity-api-key', 'Perplexity API key', 'pplx-', 'A32'],
  ['cerebras-api-key', 'Cerebras API key', 'csk-', 'A32'],
  ['fireworks-api-key', 'Fireworks API key', 'fw_', 'A20'],
  ['nvidia-api-key', 'NVIDIA API key', 'nvapi-', 'W40'],
  ['together-api-key', 'Together API key', 'tgp_v1_', 'W40'],
  ['langsmith-api-key', 'LangSmith API key', 'lsv2_(?:pt|sk)_', 'W32'],
  ['pinecone-api-key', 'Pinecone API key', 'pcsk_', 'W40'],
  ['jina-api-key', 'Jina API key', 'jina_', 'A40'],
  ['elevenlabs-api-key', 'ElevenLabs API key', 'sk_', 'H40'],
  ['slack-token', 'Slack bot, user or configuration token', '(?:xoxe\\.)?xox[abceoprs]-', 'W16'],
  ['slack-app-token', 'Slack app-level token', 'xapp-', 'W24'],
  ['stripe-secret-key', 'Stripe secret or restricted key', '[sr]k_(?:live|test)_', 'A16'],
  ['stripe-webhook-secret', 'Stripe or Svix webhook signing secret', 'whsec_', 'A20'],
  ['square-token', 'Square access token or application secret', 'sq0(?:atp|csp)-', 'W22'],
  ['square-access-token', 'Square access token', 'EAAA', 'W56'],
  [
    'braintree-token',
    'PayPal Braintree token',
    'access_token\\$(?:production|sandbox)\\$[a-z0-9]{8,16}\\$',
    'H32',
  ],
  ['plaid-access-token', 'Plaid access token', 'access-(?:production|sandbox|development)-', 'W32'],
  ['sendgrid-api-key', 'SendGrid API key', 'SG\\.[A-Za-z0-9_-]{16,32}\\.', 'W32'],
  ['mailgun-api-key', 'Mailgun API key', 'key-', 'H32!'],
  ['resend-api-key', 'Resend API key', 're_[A-Za-z0-9]{6,12}_', 'A16'],
  ['brevo-api-key', 'Brevo API or SMTP key', 'x(?:key|smtp)sib-', 'W60'],
  ['npm-token', 'npm token', 'npm_', 'A32'],
  ['pypi-token', 'PyPI token', 'pypi-(?=[A-Za-z_-]{0,40}[0-9])', 'W40'],
  ['rubygems-token', 'RubyGems API key', 'rubygems_', 'A40'],
  ['nuget-api-key', 'NuGet API key', 'oy2', 'L43!'],
  ['crates-io-token', 'crates.io token', 'cio', 'A32!'],
  ['docker-token', 'Docker Hub token', 'dckr_[po]at_', 'W20'],
  ['artifactory-token', 'JFrog Artifactory token', '(?:AKCp|cmVmdGtu)', 'A50'],
];

/** Whether the text contains the prefix of any token: one pass instead of one per rule. */
export const ANY_PREFIX = new RegExp(PREFIXED.map(([, , prefix]) => prefix).join('|'));

export const PREFIX_RULES: readonly CredentialRule[] = PREFIXED.map(([name, description, prefix, body]) => {
  const alphabet = ALPHABETS[body[0] as keyof typeof ALPHABETS];
  const least = Number.parseInt(body.slice(1), 10);
  const tail = body.endsWith('!') ? `{${least}}(?![A-Za-z0-9])` : `{${least},255}`;
  const pattern = new RegExp(`${EDGE}(?:${prefix})([${alphabet}]${tail})`, 'g');
  return { name, description, pattern, check: (match) => !isSampleToken(match[1] ?? '') };
});

/** Placeholders in documentation, such as "ghp_xxxxxxxx" or "sk-ant-your-key-here". */
export function isSampleToken(body: string): boolean {
  return /x{8}|your[-_]|[-_]here$|placeholder|redacted/i.test(body) || /^[0*._-]+$/.test(body);
}

/** Algorithms, products, durations, ordinals, dates, prices, versions: words with digits that are not credentials. */
export const ORDINARY_SHAPE = new RegExp(
  `^(?:${[
    '(?:sha|md|pbkdf|bcrypt|scrypt|argon|aes|rsa|hmac|[herp]s|oauth|base|utf|tls|pkcs|fips|ipv)-?[0-9][\\w.-]{0,12}$',
    '(?:1pass|ip(?:hone|ad)|icloud|ios|macos|git[hl]|lastp|keep|onel|jumpc|linked|paypal|mysql|postg|auth0)[\\w-]*$',
    '[0-9]{1,4}-[a-z-]+$|[0-9]fa\\b|[0-9]{4}-[0-9]{2}|[$€£][0-9.,]+|v[0-9]+$|v?[0-9]+(?:\\.[0-9]+)+[\\w.:+-]*$',
    '[0-9.]+(?:st|nd|rd|th|[smhdxk]|ms|[kmg]i?b|(?:min|hour|day|week|month|year|char|character|bit|byte)s?)$',
  ].join('|')})`,
  'i',
);

/** "public key", "cache key", "next page token" …: names that end like a secret's but are not secret. */
export const OPEN_NAME = new RegExp(
  '(?:pub|public|publishable|anon|primary|foreign|cache|partition|sort|shard|idempotency|dedupe?|routing|object|s3|' +
    'page|cursor|continuation|site|host|jira|issue|project|translation|row|hash|map|redis|lookup|tree|json)[ _-]?$',
  'i',
);

/** How often letters and digits alternate: rarely in names and words, often in random strings. */
export function alternations(value: string): number {
  return (value.match(/[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])/g) ?? []).length;
}

/** Mixed case with few words, acronyms or numbers in it: random text that has too few digits for `alternations`. */
export function isScattered(value: string): boolean {
  const rest = value.replace(/[A-Z]?[a-z]{3,}|[A-Z]{4,}|[0-9]{2,}|[^A-Za-z0-9]/g, '').length;
  return rest * 5 >= value.length * 2 && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

/** ≥ 32 hex digits, or ≥ 20 characters of a base64 alphabet that are not words, a path or a name. */
export function looksRandom(value: string): boolean {
  if (/^(?:0x)?[A-Fa-f0-9]{32,}$/.test(value)) return /[1-9a-f]/i.test(value);
  return value.length >= 20 && (alternations(value) >= 3 || isScattered(value));
}

/** Whether a text in either base64 alphabet decodes to something that matches; decoded as Latin-1, so that no byte is lost. */
export function decodes(base64: string, wanted: RegExp): boolean {
  return wanted.test(Buffer.from(base64, 'base64').toString('latin1'));
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const IS = '["\'`*\\\\]{0,3}\\s{0,3}(?::=|=>|[:=]|\\sis\\s)\\s{0,3}["\'`\\\\]{0,3}';
/** A rule for a vendor whose keys have no prefix, so that only the vendor's name nearby identifies one. */
function vendorNamed(name: string, vendor: string, value: string, hints: string[]): CredentialRule {
  const source = `(?:${vendor})[\\w .-]{0,30}(?:key|token|secret)[\\w ]{0,12}${IS}(?:${value})(?![\\w-])`;
  const pattern = new RegExp(source, 'gi');
  return { name: `${name}-named-key`, description: `A key beside the name ${name}`, pattern, hints };
}

/** Other long tokens. Like those with a prefix, they always contain a long run of token characters. */
export const SHAPE_RULES: readonly CredentialRule[] = [
  {
    name: 'jwt',
    description: 'JSON Web Token whose header names an algorithm',
    pattern:
      /(?<!(?<!\\|%[0-9A-F])[A-Za-z0-9_-])(eyJ[A-Za-z0-9_-]{8,2048})\.[A-Za-z0-9_-]{2,8192}\.[A-Za-z0-9_-]{4}/g,
    hints: ['eyJ'],
    check: (match) => decodes(match[1] ?? '', /^\{[\s\S]*"alg"\s*:/),
  },
  {
    name: 'base64-private-key',
    description: 'PEM private key which was base64-encoded once more',
    pattern: /LS0tLS1CRUdJTi[A-Za-z0-9+/]{12,64}/g,
    hints: ['LS0tLS1CRUdJTi'],
    check: (match) => decodes(match[0], /PRIVATE/),
  },
  {
    name: 'slack-webhook',
    description: 'Slack webhook address',
    pattern: /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[A-Z0-9]{2,14}\/[\w/]{8}/gi,
    hints: ['slack'],
  },
  {
    name: 'discord-webhook',
    description: 'Discord webhook address',
    pattern: /discord(?:app)?\.com\/api\/(?:v[0-9]{1,2}\/)?webhooks\/[0-9]{10,22}\/[\w-]{30}/gi,
    hints: ['discord'],
  },
  {
    name: 'discord-bot-token',
    description: 'Discord bot token',
    pattern: /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![\w-])/g,
    hints: ['.'],
    check: (match) => /[0-9]/.test(match[0]) && /[a-z]/.test(match[0]),
  },
  {
    name: 'telegram-bot-token',
    description: 'Telegram bot token',
    pattern: /(?<![A-Za-z0-9])(?:bot)?[0-9]{6,12}:(?:AA[A-Za-z0-9_-]{30}|[A-Za-z0-9_-]{35}(?![\w-]))/g,
    hints: [':'],
    check: (match) => alternations(match[0]) >= 2,
  },
  {
    name: 'teams-webhook',
    description: 'Microsoft Teams or Power Automate webhook address',
    pattern:
      /(?:webhook\.office\.com\/webhookb2\/|outlook\.office(?:365)?\.com\/webhook\/)[\w@-]{8}|(?:logic\.azure|powerplatform)\.com[^\s"'<>]{1,400}[?&]sig=[\w-]{16}/gi,
    hints: ['.office', '.azure', '.powerplatform'],
  },
  {
    name: 'google-chat-webhook',
    description: 'Google Chat webhook address',
    pattern: /chat\.googleapis\.com\/v1\/spaces\/[^\s"'<>]{1,300}[?&]token=[\w%-]{8}/gi,
    hints: ['chat.googleapis'],
  },
  {
    name: 'mailchimp-api-key',
    description: 'Mailchimp API key',
    pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])/g,
    hints: ['-us'],
  },
  {
    name: 'mailgun-private-key',
    description: 'Mailgun private key',
    pattern: /(?<![A-Za-z0-9-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])/g,
    hints: ['-'],
  },
  {
    name: 'azure-client-secret',
    description: 'Azure AD client secret',
    pattern: /(?<![\w~.])[\w~.]{3}[0-9]Q~[\w~.-]{30,34}(?![\w~-])/g,
    hints: ['Q~'],
  },
  {
    name: 'azure-sas-token',
    description: 'Azure shared access signature',
    pattern: /[?&;](?:s[vert]|sig)=[^\s"'<>]{1,400}?(?:&(?:amp;)?sig=|&se=)[A-Za-z0-9%/+]{20}/g,
    hints: ['sig='],
  },
  {
    name: 'otpauth-secret',
    description: 'One-time-password seed address',
    pattern: /otpauth:\/\/[ht]otp\/[^\s"'<>]{0,200}secret=[A-Z2-7]{16}/gi,
    hints: ['otpauth'],
  },
  vendorNamed('heroku', 'heroku', UUID, ['heroku', 'HEROKU', 'Heroku']),
  vendorNamed('postmark', 'postmark', UUID, ['postmark', 'POSTMARK', 'Postmark']),
  vendorNamed('cloudflare', 'cloudflare|CF_', '[\\w-]{37,45}', ['loudflare', 'CLOUDFLARE', 'CF_']),
  vendorNamed('datadog', 'datadog|DD_', '[0-9a-f]{32}(?:[0-9a-f]{8})?', ['atadog', 'DATADOG', 'DD_']),
];

/** Credentials identified by a word before them. They may be short, so no long run of token characters is required. */
export const MARKED_RULES: readonly CredentialRule[] = [
  {
    name: 'gcp-service-account',
    description: 'Google Cloud service account key file',
    pattern: /"private_key\\?"\s{0,4}:\s{0,4}\\?"-----BEGIN/g,
    hints: ['private_key'],
  },
  {
    name: 'private-key',
    description: 'PEM, OpenSSH, SSH2, PGP or PuTTY private key',
    pattern: /-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY|PuTTY-User-Key-File-[0-9]/g,
    hints: ['BEGIN', 'PuTTY'],
  },
  {
    name: 'azure-storage-key',
    description: 'Azure storage, Service Bus or Event Hub connection string',
    pattern: /(?:Account|SharedAccess)Key["']?\s{0,2}[:=]\s{0,2}["']?[A-Za-z0-9+/]{40}/gi,
  },
  {
    name: 'aws-secret-access-key',
    description: 'AWS secret access key beside its name',
    pattern: new RegExp(
      `(?:aws.?secret.?|secret.?access.?)key${IS}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])`,
      'gi',
    ),
  },
  {
    name: 'npm-auth-config',
    description: 'Registry credential in an .npmrc line',
    pattern: /(?<![A-Za-z0-9])_(?:authToken|auth|password)\s?=\s?["']?[\w+/=.-]{16}/g,
    hints: ['_auth', '_password'],
  },
];
