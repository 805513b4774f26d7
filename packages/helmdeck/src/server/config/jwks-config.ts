import type { Adoption } from '../../memory/issuer-callers.ts';
import { identityProblem } from '../../memory/namespace.ts';
import { ConfigError, flag, url } from './config-values.ts';
import type { VariableName } from './variables.ts';

export interface JwksConfig {
  url: string;
  issuer: string;
  audience: string;
  /** Whether its tokens may have the scope `admin`. */
  allowAdmin: boolean;
  /** Which existing callers are its subjects; undefined if the operator has not said. */
  adopt: Adoption | undefined;
}

/** Without issuer and audience, every token signed with the provider's keys would be accepted, whatever it was issued for. */
export function jwksConfig(values: Map<VariableName, string>): JwksConfig | undefined {
  const address = url('JWKS_URL', values);
  if (address === undefined) return undefined;
  const [issuer, audience] = [values.get('JWT_ISSUER'), values.get('JWT_AUDIENCE')];
  if (issuer === undefined || audience === undefined) {
    throw new ConfigError(
      'HELMDECK_JWKS_URL needs HELMDECK_JWT_ISSUER and HELMDECK_JWT_AUDIENCE: set them to the iss and aud of the tokens.',
    );
  }
  const problem = identityProblem('iss', issuer);
  if (problem) throw new ConfigError(`HELMDECK_JWT_ISSUER cannot be used: ${problem}.`);
  return { url: address, issuer, audience, allowAdmin: flag('JWT_ADMIN', values), adopt: adoption(values) };
}

function adoption(values: Map<VariableName, string>): Adoption | undefined {
  const text = values.get('JWT_ADOPT');
  if (text === undefined || text === 'all' || text === 'none') return text;
  const subjects = text.split(',').map((each) => each.trim());
  for (const subject of subjects) {
    const problem = identityProblem('sub', subject);
    if (problem) throw new ConfigError(`HELMDECK_JWT_ADOPT is all, none or a list of subjects: ${problem}.`);
  }
  return subjects;
}
