import { z } from 'zod';
import { ROLES } from '../../../identity/account.ts';
import { SCOPES } from '../../http/auth.ts';
import { time } from './fact-schemas.ts';

// Schemas of the login, browser session and token routes, for the OpenAPI document and the wire tests.

export const loginInput = z
  .strictObject({ username: z.string(), password: z.string() })
  .meta({ id: 'Login', examples: [{ username: 'admin', password: 'your admin password' }] });
export const loginResponse = z
  .strictObject({ token: z.string(), subject: z.string(), expires_at: time })
  .meta({ id: 'LoginResult' });
export const sessionResponse = z
  .strictObject({
    subject: z.string(),
    caller: z
      .string()
      .describe('you, as lists name you: `<issuer>#<subject>` if an identity provider vouches for you'),
    scopes: z.array(z.string()),
    client: z.string().optional(),
    jti: z.string().optional().describe('the id of your token, as /tokens lists it'),
    account: z
      .strictObject({
        display_name: z.string().nullable(),
        role: z.enum(ROLES),
        has_password: z.boolean().describe('false: signs in with an identity provider'),
      })
      .optional()
      .describe('your account, if you have one; the configured admin has none'),
    expires_at: time.nullable(),
  })
  .meta({ id: 'Session' });

const scopes = z.array(z.enum(SCOPES).meta({ id: 'Scope' }));
const spaces = z.array(z.string());
export const mintInput = z
  .strictObject({
    name: z.string().max(128).optional(),
    client: z.string().max(64).optional(),
    scopes: scopes
      .optional()
      .describe('the same as yours or fewer; default: yours, or the ordinary ones for someone else'),
    ttl_seconds: z.int().min(60).max(31_536_000).optional().describe('default 90 days'),
    write: z
      .literal('propose')
      .optional()
      .describe('what the token stores waits in the inbox: memory:propose in place of memory:write'),
    subject: z.string().optional().describe('admins: for whom, as /memory/callers names them'),
    spaces: spaces.optional().describe('the only spaces that the token is for; [] for none; default: all'),
  })
  .meta({
    id: 'TokenInput',
    examples: [{ name: 'laptop', scopes: ['memory:read', 'memory:write'], ttl_seconds: 2_592_000 }],
  });
const tokenSchema = z
  .strictObject({
    jti: z.string(),
    subject: z.string(),
    name: z.string().optional(),
    client: z.string().optional(),
    scopes: z.array(z.string()),
    spaces: spaces.optional().describe('set if it is narrowed to these spaces'),
    created_at: time,
    expires_at: time,
    last_used_at: time.nullable(),
    revoked_at: time.nullable(),
    application: z
      .strictObject({ client_id: z.string(), redirect_host: z.string(), resource: z.string() })
      .optional()
      .describe(
        'set if an application was connected over OAuth; expires_at is when it ends if it is not used',
      ),
  })
  .meta({ id: 'Token' });
export const mintResponse = tokenSchema.extend({ token: z.string() }).meta({ id: 'MintedToken' });
export const connectCodeResponse = z
  .strictObject({
    code: z.string().describe('redeem it once, before it expires'),
    jti: z.string().describe('the id that the token will have'),
    name: z.string().optional(),
    client: z.string().optional(),
    scopes: z.array(z.string()),
    spaces: spaces.optional(),
    expires_at: time.describe('when the code ends'),
  })
  .meta({ id: 'ConnectCode' });
export const redeemInput = z
  .strictObject({ code: z.string() })
  .meta({ id: 'RedeemInput', examples: [{ code: '7K2M-Q9XT' }] });
export const tokensResponse = z
  .strictObject({ tokens: z.array(tokenSchema), next_cursor: z.string().optional() })
  .meta({ id: 'TokenPage' });
export const revokedResponse = z.strictObject({ revoked: z.boolean() }).meta({ id: 'Revoked' });
export const revokeResponse = revokedResponse
  .extend({
    known: z
      .boolean()
      .describe('false: not minted here, or not yours; a token of yours with this id is refused from now on'),
    tokens: z.int().describe('how many tokens of the list were revoked, with those minted with it'),
  })
  .meta({ id: 'RevokedToken' });
export const revokeAllInput = z
  .strictObject({
    subject: z.string().optional().describe('admins: whose, as /memory/callers names it; default: yours'),
    before: time.optional().describe('revokes tokens issued up to this time; default: now'),
  })
  .meta({ id: 'RevokeTokensInput', examples: [{ before: '2026-05-01T12:00:00Z' }] });
export const revokeAllResponse = z
  .strictObject({
    subject: z.string(),
    before: time,
    tokens: z.int().describe('how many tokens of the list were revoked'),
  })
  .meta({ id: 'RevokedTokens' });
