import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { asObject } from '../../../memory/facts/validate-fact.ts';
import { callerName } from '../../../memory/namespace.ts';
import { addCode } from '../../../memory/oauth/authorization-codes.ts';
import { noteClientUse } from '../../../memory/oauth/registered-clients.ts';
import { jsonBody } from '../../http/body.ts';
import { recordAccess } from '../access.ts';
import { requestedSpaces } from '../requested-rights.ts';
import type { Call, Route } from '../route.ts';
import { type AuthorizationRequest, authorizationRequest } from './authorization-request.ts';
import { isDocumentUrl } from './client-documents.ts';
import { consentResponse, decisionInput, decisionResponse, MAX_QUERY_CHARS } from './oauth-schemas.ts';
import { authorizationServer } from './oauth-server.ts';
import { redirectHost, redirectTo } from './redirect-uris.ts';

const ERRORS = ['not_found', 'invalid_request', 'invalid_client', 'invalid_redirect_uri'] as const;

/**
 * The two calls of the consent page. The page is at /oauth/authorize, and the server never redirects by itself: an open
 * registration would otherwise make it an open redirector.
 */
export const consentRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/oauth/consent',
    tag: 'OAuth',
    operationId: 'readConsent',
    summary: 'What an application asks for, by the query of its authorization request; in the web UI only',
    errors: ERRORS,
    scope: 'any',
    query: z.object({ query: z.string().describe('the query of the page that the application opened') }),
    response: consentResponse,
    async handler(call) {
      return consentView(call, await requestOf(call, call.query('query') ?? ''));
    },
  },
  {
    method: 'POST',
    path: '/api/v1/oauth/consent',
    tag: 'OAuth',
    operationId: 'decideConsent',
    summary: 'Allow or deny what an application asks for; in the web UI only',
    errors: [...ERRORS, 'invalid_scope'],
    scope: 'any',
    body: decisionInput,
    response: decisionResponse,
    handler: (call) => decide(call),
  },
];

/** Programs have tokens, but only a person may connect another program: the request must come from the web UI. */
async function requestOf(call: Call, query: string): Promise<AuthorizationRequest> {
  const server = authorizationServer(call.services);
  const { identity, services } = call;
  if (!identity.inBrowser || identity.caller.subject === undefined)
    throw new AppError('insufficient_scope', 'Only a person can connect an application, in the web UI.', {
      hint: 'Sign in there with your password, or with a token of your own.',
    });
  if (query.length > MAX_QUERY_CHARS)
    throw new AppError('invalid_request', `The request is longer than ${MAX_QUERY_CHARS} characters.`);
  return authorizationRequest(server, services.memory().parts, identity, query);
}

function consentView({ identity, services }: Call, request: AuthorizationRequest) {
  const { clientId, client, redirectUri, scopes, resource, problem } = request;
  return {
    client: {
      id: clientId,
      name: client.name,
      ...(isDocumentUrl(clientId) ? { host: new URL(clientId).host } : {}),
    },
    redirect_host: redirectHost(redirectUri),
    scopes,
    resource,
    memory: callerName(identity.caller),
    spaces: services
      .memory()
      .spaces.list(identity)
      .map(({ space, role }) => ({ slug: space.slug, role })),
    ...(problem ? { problem: { error: problem.code, message: problem.message } } : {}),
  };
}

async function decide(call: Call) {
  const { services, identity } = call;
  const { parts } = services.memory();
  parts.limits.takeWrites(parts.directory.idOf(identity.caller), 1);
  const { query, decision, scopes, spaces } = asObject(await jsonBody(call.c), [
    'query',
    'decision',
    'scopes',
    'spaces',
  ]);
  if (typeof query !== 'string' || (decision !== 'allow' && decision !== 'deny'))
    throw new AppError('invalid_input', 'query and decision are required; decision is allow or deny.', {
      reason: 'bad_type',
    });
  const request = await requestOf(call, query);
  const { issuer } = authorizationServer(services);
  const { state, redirectUri, problem, clientId } = request;
  const detail = `application ${request.client.name}, sent to ${redirectHost(redirectUri)}`;
  if (decision === 'deny' || problem) {
    const error = problem?.code ?? 'access_denied';
    return { redirect_to: redirectTo(redirectUri, { error, state, iss: issuer }) };
  }
  const rights = { scopes: chosenScopes(scopes, request), spaces: requestedSpaces(spaces, identity) };
  const code = await addCode(parts, approvalOf(call, request, rights));
  await noteClientUse(parts, clientId);
  await recordAccess(services, identity.caller, { action: 'application.allow', detail });
  return { redirect_to: redirectTo(redirectUri, { code, state, iss: issuer }) };
}

function chosenScopes(chosen: unknown, { scopes }: AuthorizationRequest): string[] {
  if (chosen === undefined) return scopes;
  if (!Array.isArray(chosen) || chosen.length === 0 || !chosen.every((each) => scopes.includes(each)))
    throw new AppError('invalid_scope', 'Choose at least one of the rights that the application asks for.');
  return scopes.filter((each) => chosen.includes(each));
}

function approvalOf(
  { identity }: Call,
  request: AuthorizationRequest,
  rights: { scopes: string[]; spaces: string[] | undefined },
) {
  const { clientId, client, redirectUri, resource, challenge } = request;
  const { caller, jti, issuedMs } = identity;
  return {
    jti: randomUUID(),
    caller: { ...caller, subject: caller.subject! },
    session: { ...(jti === undefined ? {} : { jti }), scopes: [...identity.scopes], issuedMs },
    clientId,
    clientName: client.name,
    redirectUri,
    resource,
    ...rights,
    challenge,
  };
}
