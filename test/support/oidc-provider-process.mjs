// A real OpenID provider as a process of its own: `node oidc-provider-process.mjs <options as JSON>`.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';

const { port, redirectUri, peopleFile, clockShiftMs = 0 } = JSON.parse(process.argv[2]);
// Before the provider is loaded: its tokens then say the time of a machine whose clock is wrong.
const realNow = Date.now;
Date.now = () => realNow() + clockShiftMs;
const { default: Provider } = await import('oidc-provider');

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
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
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: `key-${process.pid}` }] },
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
provider.listen(port, '127.0.0.1', () => console.log('listening'));
