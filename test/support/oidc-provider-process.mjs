// A real OpenID provider as a process of its own: `node oidc-provider-process.mjs <options as JSON>`.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';

const {
  port,
  redirectUri,
  peopleFile,
  clockShiftMs = 0,
  publishesOtherKeys = false,
} = JSON.parse(process.argv[2]);
// Before the provider is loaded: its tokens then say the time of a machine whose clock is wrong.
const realNow = Date.now;
Date.now = () => realNow() + clockShiftMs;
const { default: Provider } = await import('oidc-provider');

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey } = newKey();
const kid = `key-${process.pid}`;
const issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'helmdeck',
      client_secret: 'a secret of the client',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid }] },
  claims: { profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
  scopes: ['openid', 'profile', 'email', 'groups'],
  cookies: { keys: ['a key of the provider'] },
  ttl: { IdToken: 20 },
  // Anyone can log in under any name; what the provider says about a name is in the file.
  findAccount: (_context, sub) => ({
    accountId: sub,
    claims: () => ({ sub, ...JSON.parse(readFileSync(peopleFile, 'utf8'))[sub] }),
  }),
});
// Then its tokens are signed with a key that it does not publish, as those of an impostor would be.
if (publishesOtherKeys) {
  const foreign = { ...newKey().publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid };
  provider.use(async (context, next) => {
    await next();
    if (context.path === '/jwks') context.body = { keys: [foreign] };
  });
}
provider.listen(port, '127.0.0.1', () => console.log('listening'));
