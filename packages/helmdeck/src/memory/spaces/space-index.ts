import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { type Caller, fullCallerName } from '../namespace.ts';
import {
  callerKey,
  type Grant,
  type GrantedSpace,
  includesRole,
  type Principal,
  principalKey,
  type Space,
  type SpaceAccess,
} from './space.ts';

export type StoredGrant = Grant & { rowId: string; spaceId: string };

/** The alias of a person in one space. Without this row, the alias is all that is left of them there. */
export interface StoredMember {
  rowId: string;
  spaceId: string;
  alias: string;
  caller: Caller;
}

/** A grant with the key it is found by: that of its principal, and for a group the tenant of the space as well. */
type IndexedGrant = StoredGrant & { holder: string };

/** Groups of the same name in two tenants are two groups. */
const holderKey = (principal: Principal, tenant: string | undefined) =>
  'group' in principal
    ? `${principalKey(principal)} ${JSON.stringify(tenant ?? null)}`
    : principalKey(principal);

/**
 * Spaces, grants and aliases in RAM. Grants are found by who they are for and then by slug, so that looking up a space
 * that was not granted does exactly what looking up one that does not exist does.
 */
export function createSpaceIndex(now: () => number, idOf: (caller: Caller) => Uint8Array) {
  const spaces = new Map<string, Space>();
  const byId = new Map<string, Space>();
  const byNamespace = new Map<string, Space>();
  const nsOf = ({ caller }: Space) => namespaceMapKey(idOf(caller));
  const grants = new Map<string, IndexedGrant>();
  const byHolder = new Map<string, Map<string, IndexedGrant>>();
  const members = new Map<string, StoredMember>();
  const byAlias = new Map<string, StoredMember>();

  function forgetRow(rowId: string): void {
    const space = spaces.get(rowId);
    const grant = grants.get(rowId);
    const member = members.get(rowId);
    spaces.delete(rowId);
    grants.delete(rowId);
    members.delete(rowId);
    if (member) byAlias.delete(member.alias);
    if (grant) {
      const ofHolder = byHolder.get(grant.holder);
      for (const [slug, each] of ofHolder ?? []) if (each === grant) ofHolder!.delete(slug);
      if (ofHolder?.size === 0) byHolder.delete(grant.holder);
    }
    if (!space) return;
    byId.delete(space.caller.space);
    byNamespace.delete(nsOf(space));
    // The store deletes these with the space.
    for (const each of [...grants.values(), ...members.values()])
      if (each.spaceId === space.caller.space) forgetRow(each.rowId);
  }

  const isLive = ({ expiresMs }: Grant) => expiresMs === null || now() < expiresMs;

  /** What each principal of an identity was granted, by slug. */
  function grantedTo({ caller }: SpaceAccess, groups: readonly string[]) {
    const holders: Principal[] = [{ caller }, ...groups.map((group) => ({ group }))];
    return holders.flatMap((holder) => byHolder.get(holderKey(holder, caller.tenant)) ?? []);
  }

  function best(found: readonly StoredGrant[]): GrantedSpace | undefined {
    let result: GrantedSpace | undefined;
    for (const grant of found) {
      const space = byId.get(grant.spaceId);
      if (!space || !isLive(grant)) continue;
      if (!result || includesRole(grant.role, result.role)) result = { space, role: grant.role };
    }
    return result;
  }

  return {
    rowIds: () => [...spaces.keys(), ...grants.keys(), ...members.keys()],
    forgetRow,
    learnSpace(space: Space): void {
      const known = spaces.get(space.rowId);
      if (known && known.caller.space !== space.caller.space) forgetRow(space.rowId);
      // The same caller object, by which other parts have cached its keys.
      const learned = known?.caller.space === space.caller.space ? { ...space, caller: known.caller } : space;
      spaces.set(space.rowId, learned);
      byId.set(learned.caller.space, learned);
      byNamespace.set(nsOf(learned), learned);
    },
    /** The grant's space must be known; otherwise the space is gone, and its grants with it. */
    learnGrant(grant: StoredGrant): void {
      forgetRow(grant.rowId);
      const space = byId.get(grant.spaceId);
      if (!space) return;
      const holder = holderKey(grant.principal, space.tenant);
      const indexed = { ...grant, holder };
      grants.set(grant.rowId, indexed);
      byHolder.set(holder, (byHolder.get(holder) ?? new Map()).set(space.slug, indexed));
    },
    learnMember(member: StoredMember): void {
      forgetRow(member.rowId);
      if (!byId.has(member.spaceId)) return;
      members.set(member.rowId, member);
      byAlias.set(member.alias, member);
    },
    find: (access: SpaceAccess, groups: readonly string[], slug: string) =>
      best(grantedTo(access, groups).flatMap((bySlug) => bySlug.get(slug) ?? [])),
    list(access: SpaceAccess, groups: readonly string[]): GrantedSpace[] {
      const bySlug = Map.groupBy(
        grantedTo(access, groups).flatMap((each) => [...each]),
        ([slug]) => slug,
      );
      return [...bySlug.values()].flatMap((found) => best(found.map(([, grant]) => grant)) ?? []);
    },
    byRow: (rowId: string) => spaces.get(rowId),
    byNamespace: (ns: Uint8Array) => byNamespace.get(namespaceMapKey(ns)),
    all: () => [...spaces.values()],
    member: (rowId: string) => members.get(rowId),
    rowsOf: (caller: Caller): string[] => {
      const key = callerKey(caller);
      return [
        ...[...members.values()].filter((each) => callerKey(each.caller) === key),
        ...[...grants.values()].filter(({ principal }) => principalKey(principal) === key),
      ].map(({ rowId }) => rowId);
    },
    grantsOf: (space: Space) =>
      [...grants.values()].filter((grant) => grant.spaceId === space.caller.space && isLive(grant)),
    /** The person behind an alias; the alias itself once that person is erased. */
    nameOf(alias: string): string {
      const member = byAlias.get(alias);
      return member ? fullCallerName(member.caller) : alias;
    },
  };
}
