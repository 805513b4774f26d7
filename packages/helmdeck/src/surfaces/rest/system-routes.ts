import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { receiptKeys } from '../../memory/erase/receipts.ts';
import { isAdmin } from '../http/auth.ts';
import { authenticate, bearerToken } from '../http/authenticate.ts';
import { equalInConstantTime } from '../http/login-guard.ts';
import { isLocalName } from '../http/origin.ts';
import { TOKEN_ERRORS } from './openapi/route-errors.ts';
import type { Call, Route } from './route.ts';

const shared = { method: 'GET', tag: 'Server', scope: 'public' } as const;

const readinessResponse = z
  .strictObject({
    status: z.enum(['ready', 'unready']),
    reason: z.literal('draining').optional().describe('The server is closing; send requests elsewhere'),
    memory: z.strictObject({
      state: z.enum(['on', 'off', 'disabled']),
      reason: z.string().optional(),
      message: z.string().optional(),
      hint: z.string().optional(),
    }),
  })
  .meta({ id: 'Readiness' });
const receiptKey = z.strictObject({ public_key: z.string(), since: z.string() }).meta({ id: 'ReceiptKey' });
const receiptKeysResponse = z.strictObject({ keys: z.array(receiptKey) }).meta({ id: 'ReceiptKeys' });

/** Health, readiness, version, metrics and the keys of erasure receipts. */
export const systemRoutes: readonly Route[] = [
  {
    ...shared,
    path: '/healthz',
    anyHost: true, // for health checks, which use whatever name the network has; a web page learns nothing from it
    operationId: 'getHealth',
    summary: 'The process answers',
    response: z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' }),
    handler: async () => ({ status: 'ok' }),
  },
  {
    ...shared,
    path: '/readyz',
    anyHost: true,
    operationId: 'getReadiness',
    summary: 'Requests can be served; 503 with the reason otherwise',
    response: readinessResponse,
    otherResponse: { status: 503, schema: readinessResponse },
    async handler(call) {
      const { ready, reason, memory } = await call.services.readiness();
      const body = JSON.stringify({ status: ready ? 'ready' : 'unready', reason, memory });
      return new Response(body, { status: ready ? 200 : 503, headers: call.headers });
    },
  },
  {
    ...shared,
    path: '/version',
    operationId: 'getVersion',
    summary: 'What runs here',
    response: z.strictObject({ name: z.literal('helmdeck'), version: z.string() }).meta({ id: 'Version' }),
    handler: async (call) => ({ name: 'helmdeck', version: call.services.version }),
  },
  {
    ...shared,
    path: '/metrics',
    anyHost: true, // checks the host itself: its token need not be a JWT
    operationId: 'getMetrics',
    summary: 'Prometheus metrics; open on loopback, else admin or HELMDECK_METRICS_TOKEN',
    errors: [...TOKEN_ERRORS, 'insufficient_scope'],
    responseType: 'text/plain',
    async handler(call) {
      await assertMetricsAccess(call);
      const { contentType, text } = await call.services.metrics.render();
      return new Response(text, { headers: { ...call.headers, 'content-type': contentType } });
    },
  },
  {
    ...shared,
    path: '/.well-known/helmdeck-receipts.json',
    operationId: 'listReceiptKeys',
    summary: 'Public keys that sign erasure receipts',
    errors: ['memory_unavailable'],
    response: receiptKeysResponse,
    handler: async (call) => ({ keys: await receiptKeys(call.services.memory().parts) }),
  },
];

async function assertMetricsAccess(call: Call): Promise<void> {
  const { loopback, metricsToken } = call.services;
  const host = call.header('host');
  // Only a call inside this process has no Host header.
  if (loopback && (host === undefined || isLocalName(host))) return;
  const bearer = bearerToken(call.c);
  if (loopback && bearer === undefined)
    throw new AppError('forbidden_origin', 'Under this name, metrics need a token.');
  if (bearer !== undefined && metricsToken !== undefined && equalInConstantTime(bearer, metricsToken)) return;
  if (!isAdmin(await authenticate(call.c, call.services))) {
    throw new AppError('insufficient_scope', 'Metrics need the scope admin, or HELMDECK_METRICS_TOKEN.');
  }
}
