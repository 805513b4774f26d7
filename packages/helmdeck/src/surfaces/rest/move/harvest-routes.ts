import { AppError } from '../../../errors.ts';
import { asObject } from '../../../memory/facts/validate-fact.ts';
import type { Turn } from '../../../memory/harvest/extract.ts';
import { harvest } from '../../../memory/harvest/harvest.ts';
import { instant } from '../../../memory/import-export.ts';
import { sourceOf } from '../../http/auth.ts';
import { jsonBody } from '../../http/body.ts';
import type { Route } from '../route.ts';
import { harvestInput, harvestResponse } from '../schemas/move-schemas.ts';

const MAX_NAME_CHARS = 200;

/** What a conversation says that is worth remembering, as proposals. */
export const harvestRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/memory/harvest',
    tag: 'Move',
    operationId: 'harvestConversation',
    summary: 'Propose what a conversation says that is worth remembering',
    scope: 'memory:propose',
    body: harvestInput,
    response: harvestResponse,
    errors: ['quota_exceeded', 'rate_limited'],
    async handler(call) {
      const memory = await call.memory();
      const body = asObject(await jsonBody(call.c), ['turns', 'project', 'session_id', 'dry_run']);
      const request = {
        turns: turnsOf(body.turns),
        project: nameOf('project', body.project),
        sessionId: nameOf('session_id', body.session_id),
        dryRun: body.dry_run === true,
      };
      if (body.dry_run !== undefined && typeof body.dry_run !== 'boolean')
        throw badType('dry_run must be true or false.');
      const { adviser, talkLimit } = call.services.memory();
      return harvest(memory, request, {
        source: sourceOf(call.identity, 'harvest'),
        rules: call.services.rules,
        adviser,
        limit: talkLimit,
      });
    },
  },
];

function turnsOf(input: unknown): Turn[] {
  if (!Array.isArray(input)) throw badType('turns must be an array of {role, text, at?}.');
  return input.map((item) => {
    const { role, text, at } = asObject(item, ['role', 'text', 'at']);
    if (typeof role !== 'string' || typeof text !== 'string')
      throw badType('Each turn needs a role and a text, both strings.');
    return { role, text, ...(at === undefined || at === null ? {} : { atMs: instant('at', at) }) };
  });
}

function nameOf(field: string, input: unknown): string | undefined {
  if (input === undefined || input === null) return undefined;
  if (typeof input === 'string' && input.length >= 1 && input.length <= MAX_NAME_CHARS) return input;
  throw badType(`${field} must be a text of 1 to ${MAX_NAME_CHARS} characters.`);
}

const badType = (message: string) => new AppError('invalid_input', message, { reason: 'bad_type' });
