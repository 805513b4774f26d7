import type { OidcOptions } from '../../identity/oidc-client.ts';
import { identityProblem } from '../../memory/namespace.ts';
import { ConfigError } from './config-values.ts';
import type { VariableName } from './variables.ts';

const CALLBACK_PATH = '/api/v1/auth/oidc/callback';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const OTHERS = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_GROUPS_CLAIM', 'OIDC_ALLOW'] as const;

/** Sign-in with an identity provider; undefined if none is configured. */
export function oidcConfig(
  values: Map<VariableName, string>,
  publicUrl: URL | undefined,
): OidcOptions | undefined {
  const issuer = values.get('OIDC_ISSUER');
  if (issuer === undefined) {
    const other = OTHERS.find((name) => values.get(name) !== undefined);
    if (other !== undefined) throw new ConfigError(`HELMDECK_${other} needs HELMDECK_OIDC_ISSUER.`);
    return undefined;
  }
  const clientId = values.get('OIDC_CLIENT_ID');
  const groupsClaim = values.get('OIDC_GROUPS_CLAIM');
  if (!URL.canParse(issuer) || !isSafe(new URL(issuer)))
    throw new ConfigError(
      'HELMDECK_OIDC_ISSUER must be an https URL; http is for providers on this machine only.',
    );
  const problem = identityProblem('iss', issuer);
  if (problem) throw new ConfigError(`HELMDECK_OIDC_ISSUER cannot be used: ${problem}.`);
  if (clientId === undefined) throw new ConfigError('HELMDECK_OIDC_ISSUER needs HELMDECK_OIDC_CLIENT_ID.');
  if (publicUrl === undefined)
    throw new ConfigError(
      'HELMDECK_OIDC_ISSUER needs HELMDECK_PUBLIC_URL, where the provider sends people back to.',
    );
  if (values.get('JWKS_URL') !== undefined && values.get('JWT_SECRET') === undefined)
    throw new ConfigError(
      'HELMDECK_OIDC_ISSUER needs HELMDECK_JWT_SECRET: with HELMDECK_JWKS_URL alone this server signs no sessions.',
    );
  return {
    issuer,
    clientId,
    clientSecret: values.get('OIDC_CLIENT_SECRET'),
    subjectClaim: values.get('OIDC_SUBJECT_CLAIM')!,
    groupsClaim,
    allow: allowed(values.get('OIDC_ALLOW'), groupsClaim),
    redirectUri: publicUrl.origin + CALLBACK_PATH,
  };
}

const isSafe = ({ protocol, hostname }: URL) =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));

/** Required: many providers let anyone make an account there. */
function allowed(text: string | undefined, groupsClaim: string | undefined): OidcOptions['allow'] {
  const entries = (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  if (entries.length === 0)
    throw new ConfigError(
      'HELMDECK_OIDC_ISSUER needs HELMDECK_OIDC_ALLOW: domains like @example.org, names of groups, or * for everyone the provider lets in.',
    );
  const domains = entries.filter((each) => each.startsWith('@')).map((each) => each.slice(1).toLowerCase());
  const groups = entries.filter((each) => !each.startsWith('@') && each !== '*');
  if (groups.length > 0 && groupsClaim === undefined)
    throw new ConfigError(
      'HELMDECK_OIDC_ALLOW names groups, so HELMDECK_OIDC_GROUPS_CLAIM is needed; domains begin with @.',
    );
  return { everyone: entries.includes('*'), domains, groups };
}
