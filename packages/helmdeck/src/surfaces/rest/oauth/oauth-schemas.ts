import { z } from 'zod';
import { SPACE_ROLES } from '../../../memory/spaces/space.ts';
import { SCOPES } from '../../http/auth.ts';

// Schemas of the OAuth routes, for the OpenAPI document and the wire tests. The field names are those of the RFCs.

const scopeList = z.string().describe('scopes, separated by spaces');

export const resourceMetadata = z
  .strictObject({
    resource: z.string(),
    authorization_servers: z.array(z.string()),
    scopes_supported: z.array(z.enum(SCOPES)),
    bearer_methods_supported: z.tuple([z.literal('header')]),
    resource_name: z.string(),
  })
  .meta({ id: 'ProtectedResourceMetadata' });

export const serverMetadata = z
  .strictObject({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    registration_endpoint: z.string(),
    revocation_endpoint: z.string(),
    scopes_supported: z.array(z.enum(SCOPES)),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.literal(true),
    client_id_metadata_document_supported: z.boolean(),
  })
  .meta({ id: 'AuthorizationServerMetadata' });

export const registrationInput = z
  .looseObject({
    redirect_uris: z
      .array(z.string())
      .describe('https, http on localhost with any port, or a scheme of the application'),
    client_name: z.string().optional(),
    token_endpoint_auth_method: z.string().optional().describe('whatever it is, the answer is none'),
  })
  .meta({
    id: 'ClientRegistration',
    examples: [{ client_name: 'Claude', redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] }],
  });

export const registrationResponse = z
  .strictObject({
    client_id: z.string(),
    client_id_issued_at: z.int(),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none'),
  })
  .meta({ id: 'RegisteredClient' });

export const tokenInput = z
  .looseObject({
    grant_type: z.enum(['authorization_code', 'refresh_token']),
    client_id: z.string(),
    code: z.string().optional(),
    code_verifier: z.string().optional(),
    redirect_uri: z.string().optional(),
    refresh_token: z.string().optional(),
    resource: z.string().optional(),
    scope: scopeList.optional(),
  })
  .meta({
    examples: [{ grant_type: 'authorization_code', client_id: 'app_x', code: 'x', code_verifier: 'x' }],
  });

export const tokenResponse = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    refresh_token: z.string(),
    scope: scopeList,
  })
  .meta({ id: 'AccessToken' });

export const revocationInput = z
  .looseObject({ token: z.string(), client_id: z.string().optional() })
  .meta({ examples: [{ token: 'x' }] });

/** The longest authorization request. */
export const MAX_QUERY_CHARS = 16_384;

/** What the consent page shows. */
export const consentResponse = z
  .strictObject({
    client: z.strictObject({
      id: z.string(),
      name: z.string().describe('as the application calls itself'),
      host: z.string().optional().describe('who vouches for the name: the host of its metadata document'),
    }),
    redirect_host: z.string().describe('where the person is sent; localhost or a scheme for a program'),
    scopes: z.array(z.enum(SCOPES)).describe('what it can be granted'),
    resource: z.string().describe('the URL that its tokens will be for'),
    memory: z.string().describe('whose memory it gets to'),
    spaces: z
      .array(z.strictObject({ slug: z.string(), role: z.enum(SPACE_ROLES) }))
      .describe('the shared memories that it can be narrowed to'),
    problem: z
      .strictObject({ error: z.string(), message: z.string() })
      .optional()
      .describe('why it cannot be granted; a refusal tells the application'),
  })
  .meta({ id: 'Consent' });

export const decisionInput = z
  .strictObject({
    query: z.string().max(MAX_QUERY_CHARS).describe('the query of the page that the application opened'),
    decision: z.enum(['allow', 'deny']),
    scopes: z.array(z.enum(SCOPES)).optional().describe('fewer than it asks for; default: all'),
    spaces: z
      .array(z.string())
      .optional()
      .describe('the only spaces that it may use; [] for none; default: all'),
  })
  .meta({
    id: 'ConsentDecision',
    examples: [{ query: '?client_id=app_x&response_type=code', decision: 'allow', scopes: ['memory:read'] }],
  });

export const decisionResponse = z
  .strictObject({ redirect_to: z.string().describe('where the browser goes next') })
  .meta({ id: 'ConsentResult' });
