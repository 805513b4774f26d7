import { z } from 'zod';
import { callerCounts, entryCount } from '../../memory/facts/overview.ts';
import { callerName } from '../../memory/namespace.ts';
import { isAdmin } from '../http/auth.ts';
import { integerQuery } from './input.ts';
import type { Route } from './route.ts';
import { auditResponse, auditVerifyResponse, callersResponse } from './schemas/fact-schemas.ts';

const paging = z.object({ limit: z.int().min(1).max(200).optional(), cursor: z.string().optional() });

/** Callers and the access audit, for admins. */
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
      return {
        callers: all.slice(start, start + limit),
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
    query: paging,
    response: auditResponse,
    async handler(call) {
      const { audit } = call.services.memory();
      const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 50;
      const before = integerQuery(call, 'cursor', { min: 1, max: Number.MAX_SAFE_INTEGER });
      const records = await audit.list(call.identity.caller.tenant, limit, before);
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
];
