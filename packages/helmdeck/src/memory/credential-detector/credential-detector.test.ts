import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CREDENTIAL_RULES, detectCredential } from './credential-detector.ts';

// Samples are put together at run time from {pieces}, so that no secret scanner takes this file for a leak.
const ALPHABETS: Record<string, string> = {
  mix: 'a1B2c3D4e5F6',
  hex: '0a1b2c3d4e5f',
  caps: 'A2B3C4D5',
  low: 'a1b2',
};
const cut = (unit: string, length: number): string => unit.repeat(length).slice(0, length);
const mix = (length: number): string => cut('a1B2c3D4e5F6', length);
const base64 = (text: string, form: 'base64' | 'base64url' = 'base64'): string =>
  Buffer.from(text).toString(form);
const pem = (kind: string): string => `${'-'.repeat(5)}BEGIN ${kind}${'-'.repeat(5)}`;
const jwt = (header: string): string =>
  `${base64(header, 'base64url')}.${base64('{"sub":"a"}', 'base64url')}.${mix(43)}`;
const PIECES: Record<string, string> = {
  pw: ['hunter', '2'].join(''),
  uuid: '0a1b2c3d-4e5f-4a1b-8c3d-0a1b2c3d4e5f',
  nl: '\n',
  slash: 'aB1/+'.repeat(8),
  basic: base64(['bob', ['hunter', '2'].join('')].join(':')),
  jwt: jwt('{"typ":"JWT","alg":"HS256"}'),
  jwtrsa: jwt('{"kid": "1", "alg" : "RS256"}'),
  nojwt: jwt('{"typ":"x"}'),
  privdata: base64(`${pem('RSA PRIVATE KEY')}\nMIIEowIBAAKCAQEA${mix(40)}`),
  certdata: base64(`${pem('CERTIFICATE')}\nMIIEowIBAAKCAQEA${mix(40)}`),
};

function expand(text: string): string {
  return text
    .replace(/\{pem ([A-Z ]+)\}/g, (_, kind: string) => pem(kind))
    .replace(/\{num([0-9]+)\}/g, (_, length: string) => cut('1234567890', Number(length)))
    .replace(/\{(mix|hex|caps|low)([0-9]+)\}/g, (_, name: string, n: string) =>
      cut(ALPHABETS[name]!, Number(n)),
    )
    .replace(/\{([a-z]+)\}/g, (whole, name: string) => PIECES[name] ?? whole);
}
const lines = (table: string): string[] => table.trim().split(/\n\s*/);
const samplesOf = (line: string): string[] => line.split(' ¦ ').map(expand);

/** By family: the name of a rule, then texts for which that rule is the first to match; § separates rules. */
const FOUND = lines(`
  # cloud
  aws-access-key-id: AKIA{caps16} ¦ id ASIA{caps16}, eu-west-1 ¦ x\\nAKIA{caps16} ¦ ?id=%22AKIA{caps16}
  aws-secret-access-key: aws_secret_access_key = {mix40} ¦ "SecretAccessKey": "{slash}"
  google-api-key: AIza{mix35} ¦ https://maps.example.com/js?key=AIza{mix35}&v=3
  google-oauth-secret: GOCSPX-{mix28} § google-oauth-token: ya29.{mix60}
  gcp-service-account: {"type": "service_account", "private_key": "{pem PRIVATE KEY}\\nMIIE"}
  azure-storage-key: AccountName=a;AccountKey={mix86}== ¦ SharedAccessKey={mix43}=
  azure-client-secret: abc8Q~{mix34}
  azure-sas-token: https://a.blob.core.windows.net/c?sv=2022-11-02&se=x&sig={mix43}%3D
  digitalocean-token: dop_v1_{hex64} § cloudflare-token: cfut_{mix40}
  cloudflare-origin-ca-key: v1.0-{hex24}-{hex146}
  cloudflare-named-key: CLOUDFLARE_API_TOKEN={mix40} ¦ cloudflare global api key: {hex37}
  heroku-api-key: HRKU-{mix60} § heroku-named-key: HEROKU_API_KEY={uuid}
  alibaba-access-key-id: LTAI{mix20} § databricks-token: dapi{hex32}
  hashicorp-vault-token: hvs.{mix90} § terraform-cloud-token: {mix14}.atlasv1.{mix60}
  fly-token: fo1_{mix43}
  doppler-token: dp.pt.{mix43} ¦ dp.st.prod.{mix43}
  supabase-key: sbp_{hex40} § netlify-token: nfp_{mix36}
  planetscale-token: pscale_tkn_{mix43} § neon-api-key: napi_{mix60}
  pulumi-token: pul-{hex40} § tailscale-key: tskey-auth-{mix17}-{mix30}
  age-secret-key: AGE-SECRET-KEY-1{caps58} § 1password-service-token: ops_eyJ{mix99}
  sentry-token: sntrys_{mix60} § grafana-token: glsa_{mix32}_{hex8}
  new-relic-key: NRAK-{caps27} § datadog-named-key: DD_API_KEY={hex32}
  dynatrace-token: dt0c01.{caps24}.{caps64} § posthog-personal-key: phx_{mix43}
  shopify-token: shpat_{hex32} § linear-api-key: lin_api_{mix40}
  notion-token: ntn_{mix46} § figma-token: figd_{mix40}
  airtable-token: pat{mix14}.{hex64} § postman-api-key: PMAK-{hex24}-{hex34}
  circleci-token: CCIPAT_{mix22}_{hex40} § buildkite-token: bkua_{hex40}
  sonar-token: sqp_{hex40} § sourcegraph-token: sgp_{hex40}
  twilio-api-key: SK{hex32} § aws-bedrock-key: ABSK{mix80} § xata-key: xau_{mix40} § prefect-key: pnu_{mix36}
  infisical-token: st.{uuid}.{mix40} § modal-token: ak-{mix22}
  # version control
  github-token: ghp_{mix36} ¦ gho_{mix36} ¦ ghu_{mix36} ¦ ghs_{mix36} ¦ ghr_{mix36}
  github-fine-grained-token: github_pat_{mix22}_{mix59}
  gitlab-token: glpat-{mix20} ¦ gldt-{mix20}
  gitlab-runner-token: GR1348941{mix20} § bitbucket-token: ATBB{mix32}
  atlassian-api-token: ATATT3{mix180}
  # language models
  openai-api-key: sk-proj-{mix48} ¦ sk-svcacct-{mix48}
  openai-style-api-key: sk-{mix48} § anthropic-api-key: sk-ant-api03-{mix93}
  openrouter-api-key: sk-or-v1-{hex64} § langfuse-secret-key: sk-lf-{uuid}
  huggingface-token: hf_{mix34} § groq-api-key: gsk_{mix52}
  replicate-token: r8_{mix37} § xai-api-key: xai-{mix80}
  perplexity-api-key: pplx-{mix48} § cerebras-api-key: csk-{mix48}
  fireworks-api-key: fw_{mix24} § nvidia-api-key: nvapi-{mix64}
  together-api-key: tgp_v1_{mix43} § langsmith-api-key: lsv2_pt_{hex32}_{hex10}
  pinecone-api-key: pcsk_{mix60} § jina-api-key: jina_{mix60}
  elevenlabs-api-key: sk_{hex48}
  # chat and bots
  slack-token: xoxb-{num12}-{num12}-{mix24} ¦ xoxp-{num12}-{hex32} ¦ xoxe.xoxp-1-{mix60}
  slack-app-token: xapp-1-{caps11}-{num13}-{hex64}
  slack-webhook: https://hooks.slack.com/services/T{caps8}/B{caps8}/{mix24}
  discord-bot-token: M{mix23}.{mix6}.{mix38}
  discord-webhook: https://discord.com/api/webhooks/{num18}/{mix68}
  telegram-bot-token: {num9}:AA{mix33} ¦ https://api.telegram.org/bot{num10}:AA{mix33}/getMe
  teams-webhook: https://acme.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{hex32}
  instagram-token: IGQV{mix90} § vk-token: vk1.a.{mix80}
  google-chat-webhook: https://chat.googleapis.com/v1/spaces/AAA/messages?key=k&token={mix43}
  # payment
  stripe-secret-key: sk_live_{mix24} ¦ rk_live_{mix24} ¦ sk_test_{mix24}
  stripe-webhook-secret: whsec_{mix32}
  square-token: sq0atp-{mix22} ¦ sq0csp-{mix43}
  square-access-token: EAAA{mix60} § braintree-token: access_token$production$\{low16}$\{hex32}
  plaid-access-token: access-production-{uuid} § adyen-key: AQEa{mix80}
  # mail
  sendgrid-api-key: SG.{mix22}.{mix43} § mailgun-api-key: key-{hex32}
  mailgun-private-key: {hex32}-{hex8}-{hex8} § mailchimp-api-key: {hex32}-us12
  postmark-named-key: POSTMARK_SERVER_TOKEN={uuid} ¦ The Postmark token is {uuid}
  resend-api-key: re_{mix8}_{mix24} § brevo-api-key: xkeysib-{hex64}-{mix16}
  # package registries
  npm-token: npm_{mix36} § npm-auth-config: //registry.npmjs.org/:_authToken={uuid}
  pypi-token: pypi-AgEIcHlwaS5vcmc{mix99} § rubygems-token: rubygems_{hex48}
  nuget-api-key: oy2{low43} § crates-io-token: cio{mix32}
  docker-token: dckr_pat_{mix27} § artifactory-token: AKCp{mix69}
  # private keys
  private-key: {pem PRIVATE KEY}{nl}MII ¦ {pem RSA PRIVATE KEY}{nl}MII ¦ {pem EC PRIVATE KEY} ¦ {pem DSA PRIVATE KEY}
  private-key: {pem OPENSSH PRIVATE KEY}{nl}b3 ¦ {pem ENCRYPTED PRIVATE KEY} ¦ {pem PGP PRIVATE KEY BLOCK}{nl}{nl}lQ
  private-key: tls = "{pem RSA PRIVATE KEY}\\nMIIE\\n" ¦ PuTTY-User-Key-File-3: ssh-ed25519
  base64-private-key: client-key-data: {privdata}
  # web tokens
  jwt: {jwt} ¦ the cookie was {jwtrsa}. ¦ x={jwt}&y
  otpauth-secret: otpauth://totp/a:b?secret={caps32}&issuer=a
  # URL userinfo
  url-password: https://bob:{pw}@example.com/x ¦ ftp://bob:{pw}@10.0.0.1 ¦ https://oauth2:{mix12}@git.example.com/a.git
  # databases
  database-url: postgres://app:{pw}@db:5432/x ¦ postgresql+psycopg2://app:{pw}@db/x ¦ mysql://root:p@s/{pw}@db/x
  database-url: mongodb+srv://app:{pw}@c0.example.net ¦ redis://:{pw}@cache:6379/0 ¦ amqp://guest:{pw}@mq
  database-dsn: jdbc:mysql://h/db?user=x&password={pw} ¦ Server=db;Database=x;User Id=sa;Password=Abc!{pw};
  database-dsn: bob:{pw}@tcp(localhost:3306)/db ¦ jdbc:oracle:thin:scott/{pw}@//h:1521/x
  # authorization
  authorization-header: Authorization: Bearer {mix20} ¦ "authorization": "Basic {basic}" ¦ send Bearer {mix24} with it
  authorization-header: Authorization: Token {hex40} ¦ -H 'authorization: bearer {hex24}'
  command-line-credential: curl -u bob:{pw} example.com ¦ mysqldump --password={pw} x
  # named values
  named-random-value: ENCRYPTION_KEY={hex32} ¦ COOKIE_SECRET_V2: {hex64} ¦ session_token: {mix24} ¦ key = '{hex40}'
  named-random-value: secret_key_base: {hex64} ¦ PASS_SALT="{mix32}"
  # stated passwords
  stated-secret: my password is {pw} ¦ password: {pw} ¦ passwd={pw} ¦ pwd = {pw} ¦ pw: {pw} ¦ wifi pass: {pw}
  stated-secret: **Password:** {pw} ¦ DB_PASSWORD={pw} ¦ "password": "{pw}" ¦ \\"password\\": \\"{pw}\\"
  stated-secret: config['password'] = '{pw}' ¦ The password for the guest wifi is {pw} ¦ password -> {pw}
  stated-secret: password for bob@db.example.com: {pw} ¦ the password was changed to {pw} ¦ passphrase is {pw}
  stated-secret: пароль: {pw} ¦ la contraseña es {pw} ¦ ｐａｓｓｗｏｒｄ： {pw} ¦ pass\u200bword: {pw} ¦ PASSWORD IS {pw}
  stated-secret: api_key: ab1{pw} ¦ secret = ab1{pw} ¦ client_secret={pw} ¦ access token is {low12} ¦ X-Api-Key: {low12}
  user-colon-password: root:Xy9{pw} on the old box ¦ anna:Xy9{pw}@10.0.0.4 ¦ anna:Xy9{pw}@nas.example.com
  secret-before-name: Xy9{pw} is the password for the router ¦ use Xy9{pw} as the password.
  adjacent-secret: the vpn password Xy9{pw}! works ¦ codecov token {uuid} ¦ пароль от вайфая Xy9{pw}
  user-and-password: credentials: admin/{pw} ¦ creds are admin:{pw} ¦ log in with password {pw}`);

/** Plain words and phrases, which count only where nothing follows them. */
const STANDING_ALONE = lines(`
  password is swordfish ¦ The password is swordfish. ¦ password: swordfish
  password: correcthorse9 ¦ DB_PASSWORD=postgres ¦ the passcode is 4821 ¦ password: admin ¦ password=secret
  client_secret: 'abcdefghijkl' ¦ passphrase is correct horse battery staple
  seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow`).flatMap(
  samplesOf,
);

const NEGATIVE = lines(`
  User's password manager is Bitwarden ¦ The token bucket is 1000/s ¦ Secret santa is on Dec 12 ¦ auth: OAuth2
  API key: rotate every 90 days ¦ key: value store is Redis ¦ password is in 1Password under Prod ¦ max_tokens=4096
  The password for the guest wifi is on the fridge ¦ password is rotated weekly ¦ the password policy is strict
  password is stored in the vault ¦ password: see 1Password ¦ password is required ¦ Password: N/A ¦ password=
  password: <password> ¦ password=\${PASSWORD} ¦ password=$PASSWORD ¦ password: **** ¦ password is case-sensitive
  db://u:\${PASS}@h ¦ db://u:<password>@h ¦ db://u:***@h ¦ postgres://user:password@host/db
  ssh git@github.com:org/repo.git ¦ ssh://git@github.com/org/repo ¦ http://localhost:3000/users/@me
  Authorization: Bearer <token> ¦ Authorization: Bearer $TOKEN ¦ Bearer authentication is used in all services
  Basic authentication only ¦ Authorization: Bearer YOUR_TOKEN_HERE ¦ curl -u $USER:$PASS example.com
  commit {hex40} fixed it ¦ {uuid} ¦ sha256 of the file is {hex64} ¦ trace id {hex32} ¦ cache key: {hex40}
  nginx:1.25@sha256:{hex64} ¦ docker://alpine:3.19@sha256:{hex64} ¦ public key: {mix43}= ¦ pk_live_{mix24}
  ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{mix44} bob@host ¦ {pem PUBLIC KEY}{nl}MIIB{mix60} ¦ client-ca: {certdata}
  {pem CERTIFICATE}{nl}MIID{mix60} ¦ data:image/png;base64,iVBORw0KGgo{mix400}== ¦ {pem PGP PUBLIC KEY BLOCK}
  {"artifact_key":"art_{hex32}","size":3} ¦ artifact_key = art_{hex32} ¦ session_key: sess_{hex32}
  call +1 (555) 010-4477 after 2024-05-01 ¦ the price is $1,299.00 per seat ¦ pwd = /home/user/project2
  password: z.string().min(8) ¦ password = process.env.DB_PASSWORD ¦ password: string ¦ password = getpass()
  password:{nl}  type: string ¦ password: 12-character minimum ¦ password is SHA-256 hashed ¦ token: RS256 signed
  token is base64url encoded ¦ boarding pass: AB12345 ¦ token limit: 128000 ¦ 1Password: Prod vault
  password reset link expires after 30 minutes ¦ password: op://Prod/db/password ¦ secret: kv/prod/db2
  the access token is refreshed every 15m ¦ api_key: YOUR_API_KEY ¦ OPENAI_API_KEY=sk-... ¦ api_key=<your key>
  ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is the format ¦ the secret is to rest the dough ¦ Secret: Santa list
  The client secret is kept in Azure Key Vault ¦ the key is under the mat ¦ set the password to something strong
  we lost the password to production. ¦ The password for staging expired and the new build is v2.3.1-beta
  passphrase is stored encrypted inside vault ¦ the seed phrase is kept in two sealed envelopes in Zurich
  task-abcdefghijklmnopqrstuvwxyz ¦ npm_config_registry is set ¦ re_export_everything_from_module ¦ {nojwt}
  eyJ starts a JWT, eyJhbGciOi.foo.barbar is none ¦ org.springframework.security.oauth2.client.registration
  arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf ¦ https://zoom.us/j/1234567890?pwd=
  AKIAIOSFODNN7EXAMPLE ¦ aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY ¦ password: changeme
  in tests the password is always 'test' ¦ postgres://postgres:postgres@localhost:5432/test ¦ mysql://dev:dev@db/app
  password for prod: ask the on-call ¦ credentials: see Bitwarden/Prod ¦ meet at the mountain pass at 9`).flatMap(
  samplesOf,
);

interface Example {
  family: string;
  rule: string;
  text: string;
}
let family = '';
const EXAMPLES: Example[] = FOUND.flatMap((line) => line.split(' § ')).flatMap((line) => {
  const [head = '', rest = ''] = line.split(/: (.*)/s);
  if (line.startsWith('# ')) family = line.slice(2);
  return line.startsWith('# ') ? [] : samplesOf(rest).map((text) => ({ family, rule: head, text }));
});
const TEXTS = EXAMPLES.map((example) => example.text);

describe('detectCredential', () => {
  it.each(EXAMPLES)('$family: the rule $rule matches its example', ({ rule, text }) =>
    expect(detectCredential(text)).toEqual({ rule }),
  );

  it('every family has at least three examples, and no two rules have the same name', () => {
    const sizes = Object.values(Object.groupBy(EXAMPLES, (example) => example.family)).map(
      (list) => list?.length,
    );
    expect(sizes).toHaveLength(14);
    for (const size of sizes) expect(size).toBeGreaterThanOrEqual(3);
    const names = CREDENTIAL_RULES.map((rule) => rule.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(STANDING_ALONE)('detects a credential in %j', (text) =>
    expect(detectCredential(text)).toBeDefined(),
  );

  it.each(NEGATIVE)('detects no credential in %j', (text) => expect(detectCredential(text)).toBeUndefined());

  it('a finding contains only the name of a rule and is the same on a second call', () => {
    const names = CREDENTIAL_RULES.map((rule) => rule.name);
    for (const text of [...TEXTS, ...STANDING_ALONE]) {
      const finding = detectCredential(text);
      expect(Object.keys(finding ?? {})).toEqual(['rule']);
      expect(names).toContain(finding?.rule);
      expect(detectCredential(text)).toEqual(finding);
    }
  });

  it('detects a credential surrounded by ordinary text', () => {
    const around = fc.array(fc.constantFrom(...NEGATIVE), { maxLength: 4 }).map((list) => list.join('\n'));
    const word = fc.constantFrom(
      ...'we deploy on Tuesdays, Maria said: 42 naïve — café. (v1.2) https://a.bc'.split(' '),
    );
    const prose = fc.array(word, { maxLength: 12 }).map((list) => list.join(' '));
    fc.assert(
      fc.property(
        around,
        prose,
        fc.constantFrom(...TEXTS),
        prose,
        around,
        (above, left, text, right, below) => {
          expect(detectCredential(`${above}\n${left} ${text} ${right}\n${below}`)).toBeDefined();
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('detectCredential throws for no text', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const piece = fc.oneof(
      unit,
      fc.constantFrom(...TEXTS, ...NEGATIVE).map((text) => text.slice(0, 12)),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => void detectCredential(pieces.join(''))),
      { numRuns: 1000 },
    );
  });
});

const recall = fileURLToPath(new URL('../../../../../../shared/recall', import.meta.url));
const missing = existsSync(recall) ? '' : ` (skipped: there is no ${recall})`;

describe('the recall sets', () => {
  it.skipIf(missing !== '')(`the recall sets contain no credential${missing}`, () => {
    const strings = (node: unknown): string[] =>
      typeof node === 'string' ? [node] : Object.values(node ?? {}).flatMap(strings);
    const sets = readdirSync(recall).filter((name) => name.endsWith('.json'));
    const texts = sets.flatMap((name) => strings(JSON.parse(readFileSync(join(recall, name), 'utf8'))));
    expect(texts.length).toBeGreaterThan(1000);
    expect(texts.filter((text) => detectCredential(text))).toEqual([]);
  });
});
