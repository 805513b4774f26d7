import { AppError } from '../../../errors.ts';
import { RESOURCE_METADATA_PATH } from '../../http/protected-resource.ts';
import { rawPath } from '../../http/router.ts';
import type { Call, Route } from '../route.ts';
import { resourceMetadata, serverMetadata } from './oauth-schemas.ts';
import { ADVERTISED_SCOPES, authorizationServer } from './oauth-server.ts';

const shared = { method: 'GET', tag: 'OAuth', scope: 'public', errors: ['not_found'] } as const;
const server = { ...shared, response: serverMetadata, handler: async (call: Call) => serverDocument(call) };

/** What OAuth clients read first: which server issues tokens for an MCP URL, and how that server works. */
export const oauthMetadataRoutes: readonly Route[] = [
  {
    ...shared,
    path: RESOURCE_METADATA_PATH,
    operationId: 'getServerResource',
    summary: 'Who issues tokens for this server (RFC 9728)',
    response: resourceMetadata,
    handler: async (call) => resourceDocument(call, ''),
  },
  {
    ...shared,
    path: `${RESOURCE_METADATA_PATH}/{key}`,
    operationId: 'getMcpResource',
    summary: 'Who issues tokens for the MCP URL whose path follows, such as api/v1/mcp',
    response: resourceMetadata,
    handler: async (call) =>
      resourceDocument(call, rawPath(call.c.req.url).slice(RESOURCE_METADATA_PATH.length)),
  },
  {
    ...server,
    path: '/.well-known/oauth-authorization-server',
    operationId: 'getAuthorizationServer',
    summary: 'How this server issues tokens to applications (RFC 8414)',
  },
  {
    ...server,
    path: '/.well-known/openid-configuration',
    operationId: 'getOpenIdConfiguration',
    summary: 'The same document, for clients that look for it here',
  },
];

function resourceDocument({ services: { protectedResources } }: Call, path: string) {
  const scopes = protectedResources?.scopes.get(path);
  if (!protectedResources || !scopes)
    throw new AppError('not_found', 'There are no OAuth tokens for this address.', {
      hint: 'Set HELMDECK_PUBLIC_URL on the server, and use the path of an MCP URL.',
    });
  const { origin, issuer } = protectedResources;
  return {
    resource: origin + path,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Helmdeck',
  };
}

function serverDocument(call: Call) {
  const { issuer, documents } = authorizationServer(call.services);
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: ADVERTISED_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: documents !== undefined,
  };
}
