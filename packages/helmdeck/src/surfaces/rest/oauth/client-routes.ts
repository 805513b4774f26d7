import { AppError } from '../../../errors.ts';
import { registerClient } from '../../../memory/oauth/registered-clients.ts';
import { jsonBody, readBody } from '../../http/body.ts';
import { clientAddress } from '../../http/client-address.ts';
import { requestHeader } from '../../http/request-context.ts';
import type { Call, Route } from '../route.ts';
import { single } from './authorization-request.ts';
import { clientMetadata } from './client-metadata.ts';
import { redeem, refresh, revoke } from './grants.ts';
import {
  registrationInput,
  registrationResponse,
  revocationInput,
  tokenInput,
  tokenResponse,
} from './oauth-schemas.ts';
import { authorizationServer } from './oauth-server.ts';

const FORM = 'application/x-www-form-urlencoded';
const shared = { method: 'POST', tag: 'OAuth', scope: 'public' } as const;
const ERRORS = ['not_found', 'invalid_request', 'memory_unavailable', 'conflict'] as const;

/** What applications call themselves: registration, tokens, revocation. They are public clients, so nothing here has a secret. */
export const oauthClientRoutes: readonly Route[] = [
  {
    ...shared,
    path: '/oauth/register',
    operationId: 'registerClient',
    summary: 'Register an application (RFC 7591); the same name and redirect URIs get the same id',
    errors: [...ERRORS, 'invalid_redirect_uri', 'invalid_client_metadata', 'rate_limited'],
    status: 201,
    body: registrationInput,
    response: registrationResponse,
    handler: (call) => register(call),
  },
  {
    ...shared,
    path: '/oauth/token',
    operationId: 'issueAccessToken',
    summary: 'Redeem an authorization code or a refresh token, each once; access tokens last an hour',
    errors: [
      ...ERRORS,
      'invalid_grant',
      'invalid_scope',
      'invalid_target',
      'unsupported_grant_type',
      'quota_exceeded',
    ],
    body: tokenInput,
    bodyType: FORM,
    response: tokenResponse,
    async handler(call) {
      authorizationServer(call.services);
      const form = await formOf(call);
      const grantType = single(form, 'grant_type');
      if (grantType === undefined) throw new AppError('invalid_request', 'grant_type is missing.');
      if (grantType === 'authorization_code') return redeem(call, form);
      if (grantType === 'refresh_token') return refresh(call, form);
      throw new AppError('unsupported_grant_type', 'This grant type is not supported.');
    },
  },
  {
    ...shared,
    path: '/oauth/revoke',
    operationId: 'revokeAccessToken',
    summary:
      'Disconnect an application by its access or refresh token (RFC 7009); unknown tokens are no error',
    errors: ERRORS,
    body: revocationInput,
    bodyType: FORM,
    async handler(call) {
      authorizationServer(call.services);
      await revoke(call, await formOf(call));
      return new Response('', { headers: { ...call.headers, 'content-type': 'text/plain' } });
    },
    responseType: 'text/plain',
  },
];

async function register(call: Call) {
  const { registrations } = authorizationServer(call.services);
  const { parts } = call.services.memory();
  await registrations.take(clientAddress(call.c, call.services.trustedProxies));
  const { metadata, error } = clientMetadata(await jsonBody(call.c));
  if (error !== undefined) {
    const isRedirect = error.includes('redirect');
    throw new AppError(
      isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      `Not registered: ${error}.`,
    );
  }
  const clientId = await registerClient(parts, metadata);
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(call.services.now() / 1000),
    client_name: metadata.name,
    redirect_uris: metadata.redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

async function formOf({ c }: Call): Promise<URLSearchParams> {
  const type = requestHeader(c, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  const body = await readBody(c);
  if (body.length === 0) throw new AppError('invalid_request', 'The body is empty; send a form.');
  if (type !== FORM) throw new AppError('invalid_request', `The body must be ${FORM}.`);
  return new URLSearchParams(Buffer.from(body).toString('utf8'));
}
