import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import {
  type Account,
  assertAccountName,
  callerOfAccount,
  ROLES,
  type Role,
  stateOf,
} from '../../../identity/account.ts';
import type { AccountChange, Invitation } from '../../../identity/accounts.ts';
import { endAccess, endSessions } from '../../../identity/end-access.ts';
import type { AccessAction } from '../../../memory/access-audit.ts';
import { forgetOnRequest } from '../../../memory/erase/forget-request.ts';
import { lastWriteMs } from '../../../memory/facts/overview.ts';
import { asObject } from '../../../memory/facts/validate-fact.ts';
import { QUOTA_KINDS } from '../../../memory/limits.ts';
import { createMemory } from '../../../memory/memory.ts';
import { fullCallerName, isSameCaller } from '../../../memory/namespace.ts';
import { isoMs } from '../../../memory/times.ts';
import { jsonBody } from '../../http/body.ts';
import { requestedOrigin } from '../../http/client-address.ts';
import { recordAccess } from '../access.ts';
import { integerQuery } from '../input.ts';
import type { Call, Route } from '../route.ts';
import {
  addUserInput,
  changeUserInput,
  invitationResponse,
  removedUserResponse,
  userResponse,
  usersResponse,
} from '../schemas/people-schemas.ts';

const MAX_DISPLAY_NAME_CHARS = 128;

/** Accounts, for admins. */
export const userRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/users',
    tag: 'People',
    operationId: 'listUsers',
    summary: 'The accounts of this server, with what each one uses and nothing of what it says',
    scope: 'admin',
    query: z.object({
      limit: z.int().min(1).max(200).optional().describe('default 100'),
      cursor: z.string().optional(),
    }),
    response: usersResponse,
    async handler(call) {
      assertManagesPeople(call);
      const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 100;
      const start = integerQuery(call, 'cursor', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0;
      const all = await call.services.memory().accounts.list();
      const end = start + limit;
      return {
        users: await Promise.all(all.slice(start, end).map((account) => userView(call, account))),
        ...(all.length > end ? { next_cursor: String(end) } : {}),
      };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/users',
    tag: 'People',
    operationId: 'addUser',
    summary: 'Add an account; answers with the link that sets its password, once, within 72 hours',
    scope: 'admin',
    status: 201,
    body: addUserInput,
    response: invitationResponse,
    handler: addUser,
  },
  {
    method: 'PATCH',
    path: '/api/v1/users/{id}',
    tag: 'People',
    operationId: 'changeUser',
    summary: 'Change an account; disabling it, or another role, ends its sessions and tokens',
    errors: ['not_found'],
    scope: 'admin',
    body: changeUserInput,
    response: userResponse,
    handler: changeUser,
  },
  {
    method: 'POST',
    path: '/api/v1/users/{id}/invitation',
    tag: 'People',
    operationId: 'resetUser',
    summary: 'End the password and the sessions of an account; answers with a link for a new password',
    errors: ['not_found'],
    scope: 'admin',
    response: invitationResponse,
    async handler(call) {
      assertManagesPeople(call);
      const { accounts, tokens } = call.services.memory();
      const { account, invitation } = await accounts.reset(idOf(call));
      await endSessions(tokens, callerOfAccount(account));
      await audit(call, 'user.reset', account);
      return invited(call, account, invitation);
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/users/{id}',
    tag: 'People',
    operationId: 'removeUser',
    summary: 'Remove an account and erase its memory; answers with the signed receipt',
    errors: ['not_found'],
    scope: 'admin',
    response: removedUserResponse,
    handler: removeUser,
  },
];

async function addUser(call: Call) {
  assertManagesPeople(call);
  const {
    name,
    role = 'member',
    ...body
  } = asObject(await jsonBody(call.c), ['name', 'display_name', 'role']);
  assertAccountName(name);
  if (name.toLowerCase() === call.services.adminUsername.toLowerCase())
    throw new AppError('conflict', 'This is the name of the configured admin.');
  assertRole(role);
  const displayName = displayNameIn(body.display_name) ?? undefined;
  const { accounts } = call.services.memory();
  const { account, invitation } = await accounts.add({ name, displayName, role });
  await audit(call, 'user.add', account, `role ${role}`);
  return invited(call, account, invitation);
}

async function changeUser(call: Call) {
  assertManagesPeople(call);
  const body = asObject(await jsonBody(call.c), [
    'display_name',
    'role',
    'state',
    'quota_facts',
    'quota_bytes',
  ]);
  const { role, state } = body;
  if (role !== undefined) assertRole(role);
  if (state !== undefined && state !== 'active' && state !== 'disabled')
    throw new AppError('invalid_input', 'state must be active or disabled.', { reason: 'bad_type' });
  const change: AccountChange = {
    role,
    disabled: state === undefined ? undefined : state === 'disabled',
    displayName: displayNameIn(body.display_name),
    quotaFacts: quotaIn(body, 'quota_facts'),
    quotaBytes: quotaIn(body, 'quota_bytes'),
  };
  const { accounts, tokens } = call.services.memory();
  const before = await accounts.get(idOf(call));
  if (role !== undefined || state !== undefined) assertNotOwn(call, before);
  const account = await accounts.change(before.id, change);
  const isOther = account.role !== before.role || account.disabled !== before.disabled;
  if (isOther) await endAccess(tokens, callerOfAccount(account), call.services.now);
  const changed = Object.keys(body).map((name) =>
    name === 'role' ? `role ${account.role}` : name === 'state' ? `state ${stateOf(account)}` : name,
  );
  await audit(call, 'user.change', account, changed.join(', '));
  return userView(call, account);
}

/** Disabled first: if the erase is interrupted, nothing of the account works, and it can be removed again. */
async function removeUser(call: Call) {
  assertManagesPeople(call);
  const memory = call.services.memory();
  const { accounts, tokens, parts } = memory;
  const found = await accounts.get(idOf(call));
  assertNotOwn(call, found);
  const account = await accounts.change(found.id, { disabled: true });
  const caller = callerOfAccount(account);
  await endAccess(tokens, caller, call.services.now);
  const { receipt } = await forgetOnRequest(
    memory,
    createMemory(parts, caller),
    'erase',
    call.identity.caller,
  );
  await accounts.remove(account.id);
  await audit(call, 'user.remove', account);
  return { id: account.id, name: account.name, receipt };
}

/** Accounts belong to the whole server, not to a tenant of it. */
function assertManagesPeople({ identity, services }: Call): void {
  if (services.authDisabled)
    throw new AppError('insufficient_scope', 'A server without auth has no accounts.', {
      hint: 'Start it without HELMDECK_DISABLE_AUTH first.',
    });
  if (identity.caller.tenant === undefined) return;
  throw new AppError('insufficient_scope', 'Only an admin without a tenant may manage accounts.');
}

/** An admin who locks themselves out by mistake could not undo it. */
function assertNotOwn({ identity }: Call, account: Account): void {
  if (isSameCaller(identity.caller, callerOfAccount(account)))
    throw new AppError('conflict', 'Another admin must do this to your own account.');
}

function assertRole(role: unknown): asserts role is Role {
  if (ROLES.some((each) => each === role)) return;
  throw new AppError('invalid_input', `role must be ${ROLES.join(' or ')}.`, { reason: 'bad_type' });
}

function displayNameIn(input: unknown): string | null | undefined {
  if (input === undefined || input === null) return input;
  const isName =
    typeof input === 'string' && input.length <= MAX_DISPLAY_NAME_CHARS && !/\p{Cc}/u.test(input);
  if (isName) return input.trim() === '' ? null : input.trim();
  throw new AppError(
    'invalid_input',
    `display_name has at most ${MAX_DISPLAY_NAME_CHARS} characters, on one line.`,
    { reason: 'bad_type' },
  );
}

function quotaIn(body: Record<string, unknown>, name: 'quota_facts' | 'quota_bytes') {
  const value = body[name];
  if (value === undefined || value === null) return value;
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw new AppError('invalid_input', `${name} must be a whole number above 0, or null.`, {
    reason: 'bad_type',
  });
}

const idOf = (call: Call) => call.c.req.param('id') ?? '';

const audit = (call: Call, action: AccessAction, account: Account, detail?: string) =>
  recordAccess(call.services, call.identity.caller, {
    action,
    target: fullCallerName(callerOfAccount(account)),
    detail,
  });

async function invited(call: Call, account: Account, { token, expiresMs }: Invitation) {
  const { publicUrl, trustedProxies } = call.services;
  const origin = publicUrl?.origin ?? requestedOrigin(call.c, trustedProxies);
  return {
    user: await userView(call, account),
    // In the fragment: no server, proxy or other site sees it.
    invitation: { url: `${origin}/invitation#${token}`, expires_at: isoMs(expiresMs) },
  };
}

async function userView({ services }: Call, account: Account) {
  const { parts, tokens } = services.memory();
  const caller = callerOfAccount(account);
  const { issuer, subject, tenant } = caller;
  const usage = await parts.store.usage(parts.now(), parts.directory.idOf(caller));
  const used = (await tokens.list({ issuer, subject, tenant })).flatMap(({ last_used_at }) =>
    last_used_at === null ? [] : [Date.parse(last_used_at)],
  );
  const wroteMs = await lastWriteMs(parts, caller);
  const seenMs = Math.max(account.lastSignInMs ?? 0, wroteMs ?? 0, ...used);
  const time = (ms: number | undefined) => (ms ? isoMs(ms) : null);
  return {
    id: account.id,
    name: account.name,
    subject: fullCallerName(caller),
    issuer: account.issuer,
    display_name: account.displayName ?? null,
    role: account.role,
    state: stateOf(account),
    groups: account.groups,
    created_at: isoMs(account.createdMs),
    last_sign_in_at: time(account.lastSignInMs),
    last_seen_at: time(seenMs),
    invitation_expires_at: time(account.invitation?.expiresMs),
    usage: {
      facts: usage.reduce((sum, { kind, rows }) => sum + (QUOTA_KINDS.includes(kind) ? rows : 0), 0),
      bytes: usage.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    quota: { facts: account.quotaFacts ?? null, bytes: account.quotaBytes ?? null },
  };
}
