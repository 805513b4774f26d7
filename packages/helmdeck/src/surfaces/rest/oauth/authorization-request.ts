import { AppError } from '../../../errors.ts';
import type { MemoryParts } from '../../../memory/memory.ts';
import { findClient, type RegisteredClient } from '../../../memory/oauth/registered-clients.ts';
import { hasScope } from '../../../memory/scopes.ts';
import type { Identity } from '../../http/auth.ts';
import { isDocumentUrl } from './client-documents.ts';
import { type AuthorizationServer, GRANTABLE_SCOPES } from './oauth-server.ts';
import { isRegistered } from './redirect-uris.ts';

/** What an application asks a person for. Its redirect URI was checked, so errors may be sent there. */
export interface AuthorizationRequest {
  clientId: string;
  client: RegisteredClient;
  redirectUri: string;
  state?: string;
  resource: string;
  /** What it can have: of what it asks for, what the person has. */
  scopes: string[];
  challenge: string;
  /** Why it cannot be granted whatever the person says. */
  problem?: AppError;
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Reads the query of /oauth/authorize. Throws if the application or its redirect URI is not known. */
export async function authorizationRequest(
  server: AuthorizationServer,
  parts: MemoryParts,
  identity: Identity,
  query: string,
): Promise<AuthorizationRequest> {
  const parameters = new URLSearchParams(query);
  const clientId = single(parameters, 'client_id');
  if (!clientId) throw new AppError('invalid_request', 'client_id is missing.');
  const client = await clientOf(server, parts, clientId);
  const given = single(parameters, 'redirect_uri');
  const redirectUri = given ?? (client.redirectUris.length === 1 ? client.redirectUris[0] : undefined);
  if (redirectUri === undefined) throw new AppError('invalid_request', 'redirect_uri is missing.');
  if (!isRegistered(redirectUri, client.redirectUris))
    throw new AppError('invalid_redirect_uri', 'The application did not register this redirect URI.');
  const request = { clientId, client, redirectUri, resource: server.issuer, scopes: [], challenge: '' };
  try {
    const state = single(parameters, 'state');
    return {
      ...request,
      ...(state === undefined ? {} : { state }),
      ...granted(server, identity, parameters),
    };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    const [state] = parameters.getAll('state');
    return { ...request, ...(state === undefined ? {} : { state }), problem: thrown };
  }
}

function granted(server: AuthorizationServer, identity: Identity, parameters: URLSearchParams) {
  if (single(parameters, 'response_type') !== 'code')
    throw new AppError('unsupported_response_type', 'The application must ask for the response type "code".');
  const challenge = single(parameters, 'code_challenge') ?? '';
  if (single(parameters, 'code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    throw new AppError('invalid_request', 'The application must use PKCE with S256.');
  const { resource, scopes: usual } = resourceOf(server, single(parameters, 'resource'));
  const asked = (single(parameters, 'scope') ?? '').split(' ').filter((each) => isGrantable(each));
  // Scopes that this server does not know, such as those of OpenID, are left out, as the token response says.
  const scopes = [...new Set(asked.length > 0 ? asked : usual)].filter((each) =>
    hasScope(identity.scopes, each),
  );
  if (scopes.length === 0)
    throw new AppError('invalid_scope', 'You have none of the rights that the application asks for.');
  return { resource, scopes, challenge };
}

/** The URL that tokens are asked for, as the metadata names it; by default the whole server. Clients may write it differently. */
export function resourceOf(
  { issuer, resources }: AuthorizationServer,
  requested: string | undefined,
): { resource: string; scopes: readonly string[] } {
  const url = requested === undefined ? issuer : (URL.parse(requested)?.href ?? requested);
  const resource = url.replace(/\/$/, '');
  const scopes = resources.get(resource);
  if (scopes) return { resource, scopes };
  throw new AppError('invalid_target', 'The resource is not an MCP URL of this server.');
}

async function clientOf(
  { documents }: AuthorizationServer,
  parts: MemoryParts,
  clientId: string,
): Promise<RegisteredClient> {
  if (isDocumentUrl(clientId)) {
    if (documents) return documents.read(clientId);
    throw new AppError('invalid_client', 'This server does not read client metadata documents.');
  }
  const client = await findClient(parts, clientId);
  if (client) return client;
  throw new AppError(
    'invalid_client',
    'The application is not registered here, or was not used for 90 days.',
  );
}

/** A parameter that may occur once: of two, different programs would take different ones. */
export function single(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new AppError('invalid_request', `${name} is there twice.`);
  return values[0] === '' ? undefined : values[0];
}

const isGrantable = (scope: string) => (GRANTABLE_SCOPES as readonly string[]).includes(scope);
