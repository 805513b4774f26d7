import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { type CallerCount, callerCounts, entryCount, lastWriteMs } from '../../memory/facts/overview.ts';
import { callerName, fullCallerName } from '../../memory/namespace.ts';
import { isoMs } from '../../memory/times.ts';
import { isAdmin } from '../http/auth.ts';
import { recordAccess } from './access.ts';
import { integerQuery } from './input.ts';
import type { Call, Route } from './route.ts';
import {
  auditResponse,
  auditVerifyResponse,
  backupsResponse,
  clockResponse,
} from './schemas/admin-schemas.ts';
import { callersResponse } from './schemas/stats-schemas.ts';

const paging = z.object({ limit: z.int().min(1).max(200).optional(), cursor: z.string().optional() });

/** Callers, the access audit, backups and the clock, for admins. */
export const adminRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/callers',
    tag: 'Admin',
    operationId: 'listCallers',
    summary: 'Callers by live entries, busiest first; for others than admins only themselves',
    scope: 'memory:read',
    query: paging,
    response: callersResponse,
    async handler(call) {
      const { caller } = call.identity;
      if (!isAdmin(call.identity) || caller.subject === undefined) {
        return { callers: [{ namespace: callerName(caller), count: await entryCount(await call.memory()) }] };
      }
      const all = await callerCounts(call.services.memory().parts, caller.tenant);
      const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 50;
      const start = integerQuery(call, 'cursor', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0;
      const more = all.length > start + limit;
      const page = all.slice(start, start + limit);
      return {
        callers: await withActivity(call, page),
        ...(more ? { next_cursor: String(start + limit) } : {}),
      };
    },
  },
  {
    method: 'GET',
    path: '/api/v1/audit',
    tag: 'Admin',
    operationId: 'listAuditRecords',
    summary: 'The access audit, newest first',
    scope: 'admin',
    query: paging.extend({
      actor: z.string().optional().describe('only records of what this caller did'),
      target: z.string().optional().describe("only records of access to this caller's memory or tokens"),
      action: z.string().optional().describe('only records of this action, such as read'),
    }),
    response: auditResponse,
    async handler(call) {
      const { audit } = call.services.memory();
      const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 50;
      const before = integerQuery(call, 'cursor', { min: 1, max: Number.MAX_SAFE_INTEGER });
      const [actor, target, action] = ['actor', 'target', 'action'].map((name) => call.query(name));
      const filter = { actor, target, action };
      const records = await audit.list(call.identity.caller.tenant, limit, before, filter);
      const last = records.at(-1);
      return {
        records,
        ...(records.length === limit && last && last.n > 1 ? { next_cursor: String(last.n) } : {}),
      };
    },
  },
  {
    method: 'GET',
    path: '/api/v1/audit/verify',
    tag: 'Admin',
    operationId: 'verifyAudit',
    summary: 'Check the chain of the access audit',
    scope: 'admin',
    response: auditVerifyResponse,
    handler: async (call) => call.services.memory().audit.verify(),
  },
  {
    method: 'GET',
    path: '/api/v1/backups',
    tag: 'Admin',
    operationId: 'getBackups',
    summary: 'Whether scheduled backups are on, where they go, and when the newest was made',
    scope: 'admin',
    response: backupsResponse,
    async handler({ identity, services }) {
      // A backup is of the whole database, and its address is the operator's.
      if (identity.caller.tenant !== undefined)
        throw new AppError('insufficient_scope', 'Only an admin without a tenant may see the backups.');
      const { possible, schedule } = services.backups();
      return {
        possible,
        schedule: schedule && {
          address: schedule.address,
          every_seconds: schedule.everyMs / 1000,
          keep: schedule.keep,
          last: schedule.last && { at: isoMs(schedule.last.atMs), bytes: schedule.last.bytes },
          failed_at: schedule.failedMs === null ? null : isoMs(schedule.failedMs),
        },
      };
    },
  },
  {
    method: 'GET',
    path: '/api/v1/clock',
    tag: 'Admin',
    operationId: 'getClock',
    summary: 'The time of the server, and whether it deletes what expired by it',
    scope: 'admin',
    response: clockResponse,
    handler: clockState,
  },
  {
    method: 'POST',
    path: '/api/v1/clock/confirm',
    tag: 'Admin',
    operationId: 'confirmClock',
    summary: 'Say that the clock of the server is right, so that it deletes what expired',
    scope: 'admin',
    response: clockResponse,
    async handler(call) {
      const { caller } = call.identity;
      // The sweep that follows deletes in every tenant.
      if (caller.tenant !== undefined)
        throw new AppError('insufficient_scope', 'Only an admin without a tenant may confirm the clock.');
      const clock = call.services.clock();
      await recordAccess(call.services, caller, { action: 'clock.confirm' });
      await clock.confirm();
      return clockState(call);
    },
  },
];

/** Adds what each caller did last. Tokens of an identity provider are unknown here, and so are their calls. */
async function withActivity(call: Call, page: readonly CallerCount[]) {
  const { parts, tokens } = call.services.memory();
  const minted = Map.groupBy(
    await tokens.list({ tenant: call.identity.caller.tenant }),
    ({ subject }) => subject,
  );
  return Promise.all(
    page.map(async ({ caller, count }) => {
      const namespace = fullCallerName(caller);
      const own = minted.get(namespace) ?? [];
      const calls = own.flatMap(({ last_used_at }) => last_used_at ?? []).sort();
      const writeMs = await lastWriteMs(parts, caller);
      return {
        namespace,
        count,
        tokens: own.filter(({ client, revoked_at }) => client !== 'browser' && revoked_at === null).length,
        last_call_at: calls.at(-1) ?? null,
        last_write_at: writeMs === undefined ? null : isoMs(writeMs),
      };
    }),
  );
}

async function clockState({ services }: Call): Promise<{ now: string; trusted: boolean }> {
  return { trusted: await services.clock().isTrusted(), now: isoMs(services.now()) };
}
