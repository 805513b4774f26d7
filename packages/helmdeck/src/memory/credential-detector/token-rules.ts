import { alternations, before, decodes, isSampleToken, isScattered } from './value-shapes.ts';

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
const ALPHABETS = {
  A: 'A-Za-z0-9',
  B: 'A-Za-z0-9+/_=-',
  W: 'A-Za-z0-9_-',
  H: 'a-f0-9',
  L: 'a-z0-9',
  U: 'A-Z0-9',
  58: '1-9A-HJ-NP-Za-km-z',
} as const;

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
  ['fly-token', 'Fly.io token', 'f(?:o1|m[12][ar]?)_', 'B40'],
  ['doppler-token', 'Doppler token', 'dp\\.(?:[cps]t|sa|scim|audit)(?:\\.[a-z0-9_-]{1,35})?\\.', 'A36'],
  ['supabase-key', 'Supabase access token or secret key', 'sb(?:p|_secret)_', 'W28'],
  ['netlify-token', 'Netlify token', 'nf[pcoubn]_', 'A36'],
  ['planetscale-token', 'PlanetScale token or password', 'pscale_(?:tkn|pw|oauth)_', 'W32'],
  ['neon-api-key', 'Neon API key', 'napi_', 'A40'],
  ['pulumi-token', 'Pulumi token', 'pul-', 'H40'],
  ['tailscale-key', 'Tailscale key', 'tskey-(?:api|auth|client|scim|webhook)-', 'W16'],
  ['age-secret-key', 'age encryption identity', 'AGE-SECRET-KEY-1', 'U50'],
  ['1password-service-token', '1Password service account token', 'ops_eyJ', 'W40'],
  ['sentry-token', 'Sentry token', 'sntry[su]_', 'B40'],
  ['grafana-token', 'Grafana token', 'gl(?:sa|c)_', 'B32'],
  ['new-relic-key', 'New Relic key', 'NR(?:AK|II|RA|JS)-', 'W24'],
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
  ['aws-bedrock-key', 'Amazon Bedrock API key', 'ABSK', 'B60'],
  [
    'amazon-seller-token',
    'Amazon seller or login token or client secret',
    '(?:amzn\\.mws\\.|amzn1\\.oa2-cs\\.v1\\.|Atz[ar]\\|)',
    'W30',
  ],
  ['google-refresh-token', 'Google OAuth refresh token', '1//0[0-9a-z]', 'W30'],
  ['firebase-server-key', 'Firebase Cloud Messaging server key', 'AAAA[\\w-]{7}:', 'W100'],
  ['tencent-secret-id', 'Tencent Cloud secret id', 'AKID', 'A32!'],
  ['yandex-token', 'Yandex Cloud key or OAuth token', '(?:AQVN|y[0-3]_A|t1\\.9eu)', 'W34'],
  ['render-api-key', 'Render API key', 'rnd_', 'A20'],
  ['vercel-token', 'Vercel token', '(?:vc[pickra]_|vercel_blob_rw_)', 'W24'],
  ['deno-deploy-token', 'Deno Deploy token', 'dd[opw]_', 'A36'],
  ['aiven-password', 'Aiven service password', 'AVNS_', 'W15'],
  ['cockroachdb-key', 'CockroachDB Cloud key', 'CCDB1_', 'W40'],
  ['astra-token', 'DataStax Astra token', 'AstraCS:[A-Za-z0-9]{10,40}:', 'H64'],
  ['fauna-secret', 'Fauna secret', 'fn[AE]', 'W37!'],
  ['xata-key', 'Xata API key', 'xau_', 'A30'],
  ['dbt-token', 'dbt Cloud token', 'dbt[cus]_', 'W32'],
  ['prefect-key', 'Prefect API key', 'pn[ub]_', 'A36'],
  ['ngrok-token', 'ngrok authtoken or API key', '[123][A-Za-z0-9]{26}_', 'A20'],
  ['configcat-key', 'ConfigCat SDK key', 'configcat-sdk-[0-9]/', 'W22'],
  [
    'launchdarkly-key',
    'LaunchDarkly SDK, mobile or API key',
    '(?:sdk|mob|api)-(?=[a-f0-9]{8}-[a-f0-9]{4}-4)',
    'W36!',
  ],
  ['statsig-secret', 'Statsig secret or console key', '(?:secret|console)-(?=[a-z-]{0,40}[A-Z0-9])', 'A36'],
  ['flagsmith-key', 'Flagsmith server key', 'ser\\.', 'A22!'],
  ['trello-token', 'Trello token', 'ATTA', 'H60'],
  ['clickup-token', 'ClickUp token', 'pk_[0-9]{6,9}_', 'U32!'],
  ['klaviyo-key', 'Klaviyo private key', 'pk_', 'H34!'],
  ['notion-secret', 'Notion integration secret', 'secret_', 'A40'],
  ['typeform-token', 'Typeform token', 'tfp_', 'W40'],
  ['hubspot-token', 'HubSpot private app token', 'pat-[a-z]{2}[0-9]-', 'W36'],
  ['contentful-token', 'Contentful token', 'CFPAT-', 'W40'],
  ['mapbox-secret-token', 'Mapbox secret token', 'sk\\.eyJ', 'W20'],
  ['honeycomb-key', 'Honeycomb key', 'hc[abcx][a-z]{2}_', 'A40'],
  ['sanity-token', 'Sanity token', 'sk(?=[A-Za-z0-9]{0,40}[0-9])', 'A80'],
  ['clojars-token', 'Clojars token', 'CLOJARS_', 'H60'],
  ['vault-service-token', 'HashiCorp Vault token of the old form', '(?<=[:=\\s"\'])[sb]\\.', 'A24!'],
  ['infisical-token', 'Infisical token', 'st\\.[a-f0-9]{8}-[a-f0-9-]{27}\\.', 'W30'],
  ['1password-secret-key', '1Password secret key', 'A3-[A-Z0-9]{6}-', 'U5'],
  ['matrix-token', 'Matrix access token', 'syt_[A-Za-z0-9+/_-]{1,60}_[A-Za-z0-9]{20}_', 'A6'],
  ['pubnub-secret', 'PubNub secret key', 'sec-c-', 'B30'],
  ['adyen-key', 'Adyen API key', '(?<![+/])AQE(?=[A-Za-z0-9+/]{0,60}[0-9+/])', 'B80'],
  ['flutterwave-key', 'Flutterwave secret key', 'FLWSECK(?:_TEST)?-', 'H32'],
  ['woocommerce-key', 'WooCommerce consumer key or secret', 'c[ks]_', 'H40!'],
  ['easypost-key', 'EasyPost API key', 'EZ[AT]K', 'A54'],
  ['facebook-token', 'Facebook access token', '(?<![+/])EAA[A-Za-z]', 'A66'],
  ['instagram-token', 'Instagram access token', 'IG(?:QV|AA)', 'W80'],
  [
    'twitter-bearer-token',
    'X (Twitter) bearer token',
    '(?<![+/])A{20}(?=[A-Za-z0-9]{0,90}%[23][A-F])',
    'A20',
  ],
  ['twitch-token', 'Twitch chat token', 'oauth:', 'L30!'],
  ['dropbox-token', 'Dropbox token', 'sl\\.(?=[\\w-]{0,60}[0-9])', 'W60'],
  ['linkedin-secret', 'LinkedIn client secret', 'WPL_AP[0-9]\\.', 'A12'],
  ['vk-token', 'VK access token', 'vk1\\.a\\.', 'W60'],
  ['voyage-key', 'Voyage AI key', 'pa-(?=[\\w-]{0,42}[0-9])', 'W40'],
  ['tavily-key', 'Tavily API key', 'tvly-(?:dev-|prod-)?', 'A20'],
  ['firecrawl-key', 'Firecrawl API key', 'fc-', 'H32!'],
  ['e2b-key', 'E2B API key', 'e2b_', 'H36'],
  ['runpod-key', 'RunPod API key', 'rpa_', 'A36'],
  ['modal-token', 'Modal token', 'a[ks]-(?=[A-Za-z]{0,21}[0-9])', 'A22!'],
  ['adafruit-key', 'Adafruit IO key', 'aio_', 'A28!'],
  ['zoho-token', 'Zoho token', '1000\\.[a-f0-9]{32}\\.', 'H32'],
  ['asana-token', 'Asana personal access token', '(?:[012]/[0-9]{12,20}(?:/[0-9]{12,20})?:)', 'H32'],
  ['salesforce-session', 'Salesforce session or access token', '00D[A-Za-z0-9]{12,15}!', 'A60'],
  ['uptimerobot-key', 'UptimeRobot key', '[um][0-9]{6,9}-', 'H24!'],
  ['extended-private-key', 'Extended private key of a wallet', '[xyztuvYZUV]prv', '58100'],
];

/** Whether the text contains the prefix of any token: one pass instead of one per rule. */
export const ANY_PREFIX = new RegExp(PREFIXED.map(([, , prefix]) => prefix).join('|'));

export const PREFIX_RULES: readonly CredentialRule[] = PREFIXED.map(([name, description, prefix, body]) => {
  const [, letter = '', length = ''] = /^(58|[A-Z])([0-9]+)/.exec(body) ?? [];
  const alphabet = ALPHABETS[letter as keyof typeof ALPHABETS];
  const least = Number(length);
  const tail = body.endsWith('!') ? `{${least}}(?![A-Za-z0-9])` : `{${least},255}`;
  const pattern = new RegExp(`${EDGE}(?:${prefix})([${alphabet}]${tail})`, 'g');
  return { name, description, pattern, check: (match) => !isSampleToken(match[1] ?? '') };
});

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const IS = '["\'`*\\\\]{0,3}\\s{0,3}(?::=|=>|[:=]|\\sis\\s)\\s{0,3}["\'`\\\\]{0,3}';
/** A rule for a vendor whose keys have no prefix, so that only the vendor's name nearby identifies one. */
function vendorNamed(name: string, vendor: string, value: string, hints: string[]): CredentialRule {
  const source = `(?:${vendor})[\\w .-]{0,30}(?:key|token|secret)[\\w ]{0,12}${IS}(?:${value})(?![\\w-])`;
  const pattern = new RegExp(source, 'gi');
  return { name: `${name}-named-key`, description: `A key beside the name ${name}`, pattern, hints };
}

/** Prefixes of ids, which are as random as tokens but public. */
const ID_PREFIX =
  /^(?:dpl|prj|team|user|usr|org|cus|pi|pm|ch|in|sub|price|prod|evt|req|txn|acct|file|asst|thread|msg|run|job|call|toolu|chatcmpl|resp|gen|batch|vs|step|pk|phc|sha[0-9]*|md5|etag|rev|commit|build|img|image|tx|id|uid|trace|span|session|sess|art|pipe|inv|ord|order|cm|clx|doc|page|node|blob|asset|chunk|index|main|vendor|cache|tmp|hash)(?:[_-]|$)/;

/** Random characters in both cases and digits, or in hex after a word such as "key"; the ids of things are not. */
function isVendorToken(match: RegExpExecArray): boolean {
  const [, prefix = '', body = ''] = match;
  if (isSampleToken(body) || ID_PREFIX.test(prefix)) return false;
  // The public numbers of a JSON Web Key.
  if (/"[exny]"\s?:\s?"$/.test(before(match, 8))) return false;
  if (
    /(?:^|[_-])(?:key|tok(?:en)?|secret|pat|sk|api|live|prod|priv(?:ate)?|auth|admin)(?:$|[_-])/.test(prefix)
  )
    return alternations(body) >= 5 || isScattered(body);
  const isLongLowerCase = body.length >= 40 && alternations(body) >= 8 && /^[a-z0-9]*[g-z]/.test(body);
  return body.length >= 28 && ((alternations(body) >= 3 && isScattered(body)) || isLongLowerCase);
}

/** Addresses whose path or query is the credential. */
const WEBHOOKS: readonly string[] = [
  'open\\.(?:feishu\\.cn|larksuite\\.com)/open-apis/bot/v2/hook/[\\w-]{20}',
  'qyapi\\.weixin\\.qq\\.com/cgi-bin/webhook/send\\?key=[\\w-]{20}',
  'oapi\\.dingtalk\\.com/robot/send\\?access_token=[\\w-]{20}',
  'hooks\\.zapier\\.com/hooks/(?:catch|standard)/[0-9]{3,12}/[a-z0-9]{5}',
  'hook\\.(?:[a-z0-9]{2,6}\\.)?(?:make|integromat)\\.com/[a-z0-9]{20}',
  'maker\\.ifttt\\.com/(?:trigger/[^\\s/]{1,60}/(?:json/)?with|use)/(?:key/)?[\\w-]{16}',
  '(?<=\\w)/hooks/[a-z0-9]{26}(?![a-z0-9])',
  '(?<=\\w)/hooks/[A-Za-z0-9]{17,24}/[A-Za-z0-9]{24}',
  '\\.infura\\.io/(?:ws/)?v3/[a-f0-9]{32}',
  '\\.g\\.alchemy\\.com/v2/[\\w-]{28}',
  'calendar\\.google\\.com/calendar/ical/[^\\s/]{1,120}/private-[a-f0-9]{16}',
  'hc-ping\\.com/[a-f0-9]{8}-[a-f0-9-]{27}',
  'api\\.render\\.com/deploy/srv-[a-z0-9]{16,30}\\?key=[\\w-]{8}',
  'api\\.(?:vercel\\.com/v1/integrations/deploy/prj_[A-Za-z0-9]{20,40}|netlify\\.com/build_hooks)/[A-Za-z0-9]{8}',
  '/live2/[a-z0-9]{4}(?:-[a-z0-9]{4}){3}',
];

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
    pattern: /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[A-Z0-9]{2,14}\/([\w/]{8,60})/gi,
    hints: ['slack'],
    check: (match) => !isSampleToken(match[1] ?? ''),
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
  {
    name: 'vendor-token',
    description: 'Random value behind a lower-case prefix, as most vendors issue tokens',
    pattern:
      /(?<![\w./@:%-])([a-z]{2,14}[0-9]?(?:[_-][a-z]{1,8}[0-9]{0,2}){0,2})[_-]([A-Za-z0-9]{24,255})(?![\w-])/g,
    hints: ['_', '-'],
    check: isVendorToken,
  },
  {
    name: 'webhook-url',
    description: 'Address that lets anyone who has it post or read',
    pattern: new RegExp(WEBHOOKS.join('|'), 'g'),
    hints: [
      '/hook',
      'hook.',
      '/webhook',
      'ifttt.com',
      'infura.io',
      'alchemy.com',
      'dingtalk.com',
      '/ical/',
      'hc-ping.com',
      '/live2/',
      '/deploy/',
      'build_hooks',
    ],
  },
  {
    name: 'wallet-key',
    description: 'Bitcoin private key in wallet import format',
    pattern:
      /(?<![A-Za-z0-9/+=])(?:5[1-9A-HJ-NP-Za-km-z]{50}|[KLc][1-9A-HJ-NP-Za-km-z]{51})(?![A-Za-z0-9/+=])/g,
    check: (match) => alternations(match[0]) >= 4 && isScattered(match[0]),
  },
  {
    name: 'new-relic-license-key',
    description: 'New Relic licence key',
    pattern: /(?<![A-Za-z0-9])[a-f0-9]{36}NRAL/g,
    hints: ['NRAL'],
  },
  {
    name: 'recovery-key',
    description: 'Recovery key of an encrypted disk',
    pattern: /(?<![0-9-])(?:[0-9]{6}-){7}[0-9]{6}(?![0-9-])/g,
    hints: ['-'],
  },
  {
    name: 'unleash-token',
    description: 'Unleash token: project, environment and a random value',
    pattern: /\.[a-f0-9]{56}(?![a-f0-9]{8})/g,
    hints: [':'],
    check: (match) => /(?<![\w-])(?:\*|[\w-]{1,40}):(?:\*|[\w-]{1,40})$/.test(before(match, 82)),
  },
  vendorNamed('heroku', 'heroku', UUID, ['heroku', 'HEROKU', 'Heroku']),
  vendorNamed('postmark', 'postmark', UUID, ['postmark', 'POSTMARK', 'Postmark']),
  vendorNamed('cloudflare', 'cloudflare|CF_', '[\\w-]{37,45}', ['loudflare', 'CLOUDFLARE', 'CF_']),
  vendorNamed('datadog', 'datadog|DD_', '[0-9a-f]{32}(?:[0-9a-f]{8})?', ['atadog', 'DATADOG', 'DD_']),
];
