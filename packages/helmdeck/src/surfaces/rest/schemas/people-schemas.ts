import { z } from 'zod';
import { ROLES } from '../../../identity/account.ts';
import { receiptSchema, time } from './fact-schemas.ts';

// Schemas of accounts, invitations and ways to sign in, for the OpenAPI document and the wire tests.

const role = z.enum(ROLES).meta({ id: 'Role' });
const displayName = z.string().max(128);
const userSchema = z
  .strictObject({
    id: z.string(),
    name: z.string().describe('never changes: it decides whose memory is whose'),
    subject: z.string().describe('as ?caller= and /memory/callers name the person'),
    issuer: z.string().optional().describe('the identity provider that the person signs in with'),
    display_name: z.string().nullable(),
    role,
    state: z.enum(['invited', 'active', 'disabled']),
    groups: z.array(z.string()).optional().describe('as the provider named them at the last sign-in'),
    created_at: time,
    last_sign_in_at: time.nullable(),
    last_seen_at: time.nullable().describe('the last sign-in, call or write'),
    invitation_expires_at: time.nullable(),
    usage: z.strictObject({ facts: z.int(), bytes: z.int() }),
    quota: z
      .strictObject({ facts: z.int().nullable(), bytes: z.int().nullable() })
      .describe('null: that of the configuration'),
  })
  .meta({ id: 'User' });
export const userResponse = userSchema;
export const usersResponse = z
  .strictObject({ users: z.array(userSchema), next_cursor: z.string().optional() })
  .meta({ id: 'UserPage' });
export const addUserInput = z
  .strictObject({
    name: z.string().max(64),
    display_name: displayName.optional(),
    role: role.optional().describe('default member'),
  })
  .meta({ id: 'UserInput', examples: [{ name: 'ada', display_name: 'Ada Lovelace' }] });
export const changeUserInput = z
  .strictObject({
    display_name: displayName.nullable().optional(),
    role: role.optional(),
    state: z.enum(['active', 'disabled']).optional(),
    quota_facts: z.int().min(1).nullable().optional().describe('null: that of the configuration'),
    quota_bytes: z.int().min(1).nullable().optional(),
  })
  .meta({ id: 'UserChange', examples: [{ state: 'disabled' }] });
export const invitationResponse = z
  .strictObject({
    user: userSchema,
    invitation: z.strictObject({
      url: z.string().describe('send it to the person: it sets their password, once'),
      expires_at: time,
    }),
  })
  .meta({ id: 'Invitation' });
export const removedUserResponse = z
  .strictObject({ id: z.string(), name: z.string(), receipt: receiptSchema })
  .meta({ id: 'RemovedUser' });

export const invitationInput = z
  .strictObject({ invitation: z.string() })
  .meta({ id: 'InvitationInput', examples: [{ invitation: 'what follows # in the link' }] });
export const invitedResponse = z
  .strictObject({ name: z.string(), display_name: z.string().nullable(), expires_at: time })
  .meta({ id: 'InvitedPerson' });
export const acceptInput = z.strictObject({ invitation: z.string(), password: z.string() }).meta({
  id: 'AcceptInvitation',
  examples: [{ invitation: 'what follows # in the link', password: 'at least 12 characters' }],
});
export const passwordInput = z.strictObject({ current_password: z.string(), new_password: z.string() }).meta({
  id: 'PasswordChange',
  examples: [{ current_password: 'your password', new_password: 'at least 12 characters' }],
});
export const passwordResponse = z
  .strictObject({ sessions_ended: z.int().describe('your other sessions and logins') })
  .meta({ id: 'PasswordChanged' });
export const methodsResponse = z
  .strictObject({
    password: z.boolean(),
    oidc: z
      .strictObject({ issuer: z.string(), url: z.string().describe('open it in the browser') })
      .nullable(),
  })
  .meta({ id: 'SignInMethods' });
