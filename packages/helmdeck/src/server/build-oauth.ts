import type { AttemptRecords } from '../identity/attempt-records.ts';
import { createEgressPolicy } from '../packs/egress/egress-policy.ts';
import { GRAPH_RESOURCE } from '../surfaces/graph/graph-server.ts';
import { DEFAULT_SCOPES, type Scope } from '../surfaces/http/auth.ts';
import { MCP_RESOURCES } from '../surfaces/mcp/endpoints.ts';
import { QMD_RESOURCE } from '../surfaces/qmd/qmd-server.ts';
import { createClientDocuments } from '../surfaces/rest/oauth/client-documents.ts';
import { createRegistrationLimit } from '../surfaces/rest/oauth/registration-limit.ts';
import type { RestServices } from '../surfaces/rest/route.ts';
import type { Config } from './config/config.ts';
import { VERSION } from './process/version.ts';

/**
 * OAuth for the MCP URLs. It needs the public URL, which is its issuer. With an identity provider, its documents name
 * that one, and this server issues no tokens to applications.
 */
export function buildOAuth(
  config: Config,
  now: () => number,
  registrations: AttemptRecords | undefined,
): Pick<RestServices, 'oauth' | 'protectedResources'> {
  const { publicUrl, jwks, authDisabled } = config;
  if (!publicUrl || authDisabled) return {};
  const { origin } = publicUrl;
  const paths = new Map<string, readonly Scope[]>([['', DEFAULT_SCOPES]]);
  for (const { paths: own, scopes } of [...MCP_RESOURCES, GRAPH_RESOURCE, QMD_RESOURCE])
    for (const path of own) paths.set(path, scopes);
  const protectedResources = { origin, issuer: jwks?.issuer ?? origin, scopes: paths };
  if (jwks) return { protectedResources };
  const policy = createEgressPolicy(config.egressAllowlist);
  const documents = createClientDocuments({ policy, userAgent: `helmdeck/${VERSION}`, now });
  return {
    protectedResources,
    oauth: {
      issuer: origin,
      resources: new Map([...paths].map(([path, scopes]) => [origin + path, scopes])),
      ...(config.oauthClientDocuments ? { documents } : {}),
      registrations: createRegistrationLimit(now, registrations),
    },
  };
}
