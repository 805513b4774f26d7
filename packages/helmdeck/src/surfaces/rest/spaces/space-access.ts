import { AppError } from '../../../errors.ts';
import { includesRole, type Space, type SpaceRole, unknownSpace } from '../../../memory/spaces/space.ts';
import { assertScope, type Identity, isAdmin } from '../../http/auth.ts';
import { recordAccess } from '../access.ts';
import type { Call } from '../route.ts';

/** A space, and the role of the request's identity there; `null` if it is an admin without one. */
export interface SeenSpace {
  space: Space;
  role: SpaceRole | null;
}

/** The space in the path, if the identity was granted it, or is an admin; an admin's look is in the audit. */
export async function spaceOfRequest(call: Call, options: { evenErasing?: true } = {}): Promise<SeenSpace> {
  const { services, identity } = call;
  const { spaces } = services.memory();
  const slug = call.c.req.param('slug') ?? '';
  const granted = spaces.find(identity, slug, options);
  if (granted) return granted;
  if (!isTenantAdmin(identity)) throw unknownSpace();
  const space = (await spaces.all(identity.caller.tenant)).find((each) => each.slug === slug);
  if (!space || (space.erasing && !options.evenErasing)) throw unknownSpace();
  const detail = call.c.req.method === 'GET' ? call.route : `${call.c.req.method} ${call.route}`;
  await recordAccess(services, identity.caller, { action: 'read', target: `space ${slug}`, detail });
  return { space, role: null };
}

/** The same for whoever manages it: its owners, and admins. */
export async function managedSpace(call: Call, options: { evenErasing?: true } = {}): Promise<SeenSpace> {
  const found = await spaceOfRequest(call, options);
  assertScope(call.identity, 'spaces:write');
  if (found.role === null || includesRole(found.role, 'owner') || isTenantAdmin(call.identity)) return found;
  throw new AppError(
    'insufficient_scope',
    `This needs the role owner in the space; yours is ${found.role}.`,
    {
      reason: 'space_role',
    },
  );
}

/** An admin whose token is not narrowed to some spaces. */
export const isTenantAdmin = (identity: Identity) => isAdmin(identity) && identity.spaces === undefined;

export function assertTenantAdmin(identity: Identity): void {
  if (isTenantAdmin(identity)) return;
  throw new AppError(
    'insufficient_scope',
    'This needs an admin whose token is not narrowed to some spaces.',
    {
      scopes: ['admin'],
    },
  );
}
