import { AppError } from '../../../errors.ts';
import { callerOfAccount, scopesOf } from '../../../identity/account.ts';
import { endSessions } from '../../../identity/end-access.ts';
import { asObject } from '../../../memory/facts/validate-fact.ts';
import { isPersonsClient } from '../../../memory/gate/trust.ts';
import { fullCallerName } from '../../../memory/namespace.ts';
import { isoMs } from '../../../memory/times.ts';
import { jsonBody } from '../../http/body.ts';
import { assertSameOrigin } from '../../http/origin.ts';
import { recordAccess } from '../access.ts';
import { checkPassword, mintSession, openBrowserSession } from '../auth-routes.ts';
import type { Call, Route } from '../route.ts';
import { sessionResponse } from '../schemas/auth-schemas.ts';
import {
  acceptInput,
  invitationInput,
  invitedResponse,
  methodsResponse,
  passwordInput,
  passwordResponse,
} from '../schemas/people-schemas.ts';

/** Invitations and passwords, for the person whose account it is. */
export const passwordRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/auth/methods',
    tag: 'Identity',
    operationId: 'listSignInMethods',
    summary: 'How people can sign in here',
    scope: 'public',
    worksWithoutMemory: true,
    response: methodsResponse,
    async handler({ services }) {
      const { oidc, publicUrl } = services;
      return {
        password: await services.login.isOn(),
        oidc: oidc
          ? { issuer: oidc.client.issuer, url: `${publicUrl!.origin}/api/v1/auth/oidc/start` }
          : null,
      };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/invitation',
    tag: 'Identity',
    operationId: 'readInvitation',
    summary: 'Whose account an invitation link is for',
    errors: ['invalid_credentials'],
    scope: 'public',
    body: invitationInput,
    response: invitedResponse,
    async handler(call) {
      const { invitation } = asObject(await jsonBody(call.c), ['invitation']);
      const account = await call.services.memory().accounts.invited(text(invitation, 'invitation'));
      if (!account) throw unusable();
      const { name, displayName = null } = account;
      return { name, display_name: displayName, expires_at: isoMs(account.invitation!.expiresMs) };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/invitation/accept',
    tag: 'Identity',
    operationId: 'acceptInvitation',
    summary: 'Set the password that an invitation link is for, and sign in; sets a cookie',
    responseHeaders: ['Set-Cookie'],
    errors: ['invalid_credentials', 'login_disabled'],
    scope: 'public',
    body: acceptInput,
    response: sessionResponse,
    async handler(call) {
      assertOwnPage(call);
      const { services } = call;
      const body = asObject(await jsonBody(call.c), ['invitation', 'password']);
      const { accounts } = services.memory();
      const account = await accounts.accept(text(body.invitation, 'invitation'), body.password);
      if (!account) throw unusable();
      const caller = callerOfAccount(account);
      await recordAccess(services, caller, { action: 'user.accept', target: fullCallerName(caller) });
      const person = { caller, scopes: scopesOf(account), account };
      const { token } = await mintSession(call, person, 'browser');
      return openBrowserSession(call, token);
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/password',
    tag: 'Identity',
    operationId: 'changePassword',
    summary: 'Change your password; ends your other sessions and logins',
    errors: ['invalid_credentials', 'rate_limited'],
    scope: 'any',
    body: passwordInput,
    response: passwordResponse,
    handler: changePassword,
  },
];

async function changePassword(call: Call) {
  const { services, identity } = call;
  const { accounts, tokens } = services.memory();
  const { caller, client, jti } = identity;
  if (!isPersonsClient(client))
    throw new AppError('insufficient_scope', 'A token for a program cannot change a password.');
  const body = asObject(await jsonBody(call.c), ['current_password', 'new_password']);
  const account = accounts.of(caller);
  if (account?.passwordHash === undefined)
    throw new AppError('conflict', 'There is no password to change here.', {
      hint: 'That of the admin is HELMDECK_ADMIN_PASSWORD; other people sign in with the identity provider.',
    });
  const person = await checkPassword(call, account.name, text(body.current_password, 'current_password'));
  if (person.account?.id !== account.id)
    throw new AppError('invalid_credentials', 'The user name or the password is wrong.');
  await accounts.setPassword(account.id, body.new_password);
  const ended = await endSessions(tokens, caller, jti);
  await recordAccess(services, caller, { action: 'password.change', detail: `${ended} sessions ended` });
  return { sessions_ended: ended };
}

/** A page of another site must not sign a browser in to an account of its choice. */
function assertOwnPage(call: Call): void {
  if (call.header('origin') !== undefined || call.header('sec-fetch-site') !== undefined)
    assertSameOrigin(call.c, call.services);
}

function text(input: unknown, name: string): string {
  if (typeof input === 'string') return input;
  throw new AppError('invalid_input', `${name} is required, as a string.`, { reason: 'bad_type' });
}

const unusable = () =>
  new AppError('invalid_credentials', 'The invitation is wrong, was used already, or has expired.', {
    reason: 'bad_invitation',
    hint: 'Ask an admin for a new link.',
  });
