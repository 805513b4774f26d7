import { AppError } from '../../../errors.ts';
import type { AccessAction } from '../../../memory/access-audit.ts';
import { asObject } from '../../../memory/facts/validate-fact.ts';
import { instant } from '../../../memory/import-export.ts';
import { fullCallerName } from '../../../memory/namespace.ts';
import {
  GROUP_PREFIX,
  type Grant,
  type Principal,
  principalKey,
  validGroup,
  validRole,
} from '../../../memory/spaces/space.ts';
import { isoMs } from '../../../memory/times.ts';
import { assertScope } from '../../http/auth.ts';
import { jsonBody } from '../../http/body.ts';
import { namedCaller, recordAccess } from '../access.ts';
import type { Call, Route } from '../route.ts';
import { grantInput, grantResponse, grantsResponse, revokedResponse } from '../schemas/space-schemas.ts';
import { managedSpace, spaceOfRequest } from './space-access.ts';

const GRANTS = '/api/v1/spaces/{slug}/grants';

/** Who may do what in a space. */
export const grantRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: GRANTS,
    tag: 'Spaces',
    operationId: 'listGrants',
    summary: 'Who has access to a space, and in which role',
    scope: 'memory:read',
    response: grantsResponse,
    errors: ['unknown_space'],
    async handler(call) {
      const { space } = await spaceOfRequest(call);
      const { spaces } = call.services.memory();
      const views = (await spaces.grants(space)).map((grant) => grantView(call, grant));
      return { grants: views.sort((a, b) => (a.principal < b.principal ? -1 : 1)) };
    },
  },
  {
    method: 'PUT',
    path: `${GRANTS}/{principal}`,
    tag: 'Spaces',
    operationId: 'grantSpace',
    summary: 'Give a person or a group a role in a space, or change it',
    scope: 'spaces:write',
    body: grantInput,
    response: grantResponse,
    errors: ['unknown_space'],
    async handler(call) {
      const body = asObject(await jsonBody(call.c), ['role', 'expires_at']);
      const { space } = await managedSpace(call);
      const principal = principalInPath(call);
      const role = validRole(body.role);
      const expiresMs = expiryIn(call, body.expires_at);
      const by = call.identity.caller;
      const { spaces } = call.services.memory();
      const grant = await spaces.grant(space, { principal, role, expiresMs, by });
      const until = expiresMs === null ? '' : ` until ${isoMs(expiresMs)}`;
      await audit(call, 'space.grant', `${nameOf(principal)} ${role}${until}`);
      return grantView(call, grant);
    },
  },
  {
    method: 'DELETE',
    path: `${GRANTS}/{principal}`,
    tag: 'Spaces',
    operationId: 'revokeGrant',
    summary: 'Take a role in a space back; everyone may give up their own',
    scope: 'memory:read',
    response: revokedResponse,
    errors: ['unknown_space'],
    async handler(call) {
      const principal = principalInPath(call);
      const own = principalKey({ caller: call.identity.caller });
      const isOwn = principalKey(principal) === own;
      // A reader's agent must not be able to take its person out of the space.
      const { space } = isOwn ? await spaceOfRequest(call) : await managedSpace(call);
      assertScope(call.identity, 'spaces:write');
      const revoked = await call.services.memory().spaces.revoke(space, principal);
      if (revoked) await audit(call, 'space.revoke', nameOf(principal));
      return { revoked };
    },
  },
];

/** `group:<name>`, or a person as `?caller=` names them. */
function principalInPath(call: Call): Principal {
  const text = call.c.req.param('principal') ?? '';
  if (text.startsWith(GROUP_PREFIX)) return { group: validGroup(text.slice(GROUP_PREFIX.length)) };
  const { services, identity } = call;
  // By its own name, one is oneself: an identity provider's subject need not know how admins call it.
  if (text === identity.caller.subject) return { caller: identity.caller };
  return { caller: namedCaller(services, identity, text, 'principal') };
}

function expiryIn(call: Call, input: unknown): number | null {
  if (input === undefined || input === null) return null;
  const expiresMs = instant('expires_at', input);
  if (expiresMs > call.services.now()) return expiresMs;
  throw new AppError('invalid_input', 'expires_at has passed.', { reason: 'bad_type' });
}

const nameOf = (principal: Principal) =>
  'group' in principal ? GROUP_PREFIX + principal.group : fullCallerName(principal.caller);

function grantView(call: Call, { role, principal, by, atMs, expiresMs }: Grant) {
  return {
    principal: nameOf(principal),
    role,
    by: call.services.memory().spaces.nameOf(by),
    at: isoMs(atMs),
    expires_at: expiresMs === null ? null : isoMs(expiresMs),
  };
}

const audit = (call: Call, action: AccessAction, detail: string) =>
  recordAccess(call.services, call.identity.caller, {
    action,
    target: `space ${call.c.req.param('slug')}`,
    detail,
  });
