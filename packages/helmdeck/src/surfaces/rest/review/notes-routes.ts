import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { asObject, validProject } from '../../../memory/facts/validate-fact.ts';
import type { Memory } from '../../../memory/memory.ts';
import { type NamedMemory, namedMemories } from '../../../memory/spaces/enter-space.ts';
import { OWN_MEMORY } from '../../../memory/spaces/space.ts';
import { factKeysOf } from '../../../recall/hit-view.ts';
import {
  PROMPT_NOTES_POLICY,
  type PromptNotesRequest,
  promptNotes,
  sessionIn,
} from '../../../recall/prompt/prompt-notes.ts';
import { toldMark } from '../../../recall/prompt/told-notes.ts';
import { startNotes } from '../../../recall/start-notes.ts';
import { sourceOf } from '../../http/auth.ts';
import { jsonBody } from '../../http/body.ts';
import { countsAsRecall, memoriesOfRequest } from '../access.ts';
import { integerQuery } from '../input.ts';
import type { Call, Route } from '../route.ts';
import { promptNotesInput, promptNotesResponse, startNotesResponse } from '../schemas/review-schemas.ts';

const MIN_NOTES_BYTES = 400;
const MAX_NOTES_BYTES = 100_000;
const DEFAULT_NOTES_BYTES = 4_000;
const MAX_FOLDER_CHARS = 200;

/** What agents are told without being asked: at the start of a conversation, and before a prompt. */
export const notesRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/start-notes',
    tag: 'Overview',
    operationId: 'getStartNotes',
    summary: 'What an agent is told at the start of a conversation',
    scope: 'memory:read',
    takesCaller: true,
    takesSpaces: true,
    query: z.object({
      folder: z.string().max(MAX_FOLDER_CHARS).optional().describe('the name of the folder it works in'),
      project: promptNotesInput.shape.project.describe('the project of that folder: its facts come first'),
      session_id: promptNotesInput.shape.session_id.describe('the prompt notes of it omit what this tells'),
      max_bytes: z
        .int()
        .min(MIN_NOTES_BYTES)
        .max(MAX_NOTES_BYTES)
        .optional()
        .describe(`default ${DEFAULT_NOTES_BYTES}`),
    }),
    response: startNotesResponse,
    async handler(call) {
      const maxBytes =
        integerQuery(call, 'max_bytes', { min: MIN_NOTES_BYTES, max: MAX_NOTES_BYTES }) ??
        DEFAULT_NOTES_BYTES;
      const folder = call.query('folder')?.slice(0, MAX_FOLDER_CHARS).toWellFormed();
      const project = call.query('project');
      const session = validSession(call.query('session_id'));
      const own = { name: OWN_MEMORY, memory: await call.memory() };
      const memories = (await memoriesOfRequest(call)) ?? [own];
      const { recall, toldNotes } = call.services.memory();
      const { text, facts } = await startNotes(recall, memories, {
        folder,
        project: project === undefined ? undefined : validProject(project),
        maxBytes,
        unnoted: call.query('caller') !== undefined,
      });
      if (countsAsRecall(call)) {
        const reader = readerOf(own.memory);
        for (const from of memories) {
          const { memory } = from;
          const ofIt = facts.filter((fact) => fact.from === from);
          memory.recallCounts.add(
            memory.caller,
            ofIt.map(({ key }) => key),
          );
          const ns = memory.directory.idOf(memory.caller);
          if (session !== undefined) toldNotes.reset(ns, sessionIn(from, session, reader), ofIt);
        }
      }
      const told = facts.map((fact) => toldMark(fact.from.memory, fact));
      return { text, keys: facts.map(({ key }) => key), told };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/prompt-notes',
    tag: 'Search',
    operationId: 'getPromptNotes',
    summary: 'What is worth saying before a prompt; mostly nothing',
    scope: 'memory:read',
    body: promptNotesInput,
    response: promptNotesResponse,
    errors: ['unknown_space', 'rate_limited'],
    async handler(call) {
      const startMs = performance.now();
      const own = { name: OWN_MEMORY, memory: await call.memory() };
      const body = await jsonBody(call.c);
      const request = { ...validRequest(body), reader: readerOf(own.memory) };
      const [first = own, ...others] = await searchedMemories(call, body);
      const { recall, recallLog, toldNotes } = call.services.memory();
      const memories = [first, ...others] as const;
      const { hits, question, ...answer } = await promptNotes(recall, toldNotes, memories, request);
      // Prompts that get no notes leave no trace: most of them do not concern the memory.
      if (hits.length > 0 && countsAsRecall(call)) {
        const source = sourceOf(call.identity, call.services.surface);
        for (const from of memories) {
          const { memory } = from;
          const hitsOfIt = hits.filter((hit) => hit.from === from);
          memory.recallCounts.add(memory.caller, factKeysOf(hitsOfIt));
        }
        // What somebody asks is theirs, and so is the log of it: it names no fact of a space.
        recallLog.add(own.memory.caller, {
          question,
          tookMs: performance.now() - startMs,
          source,
          hits: hits.filter(({ from }) => from.name === OWN_MEMORY),
        });
      }
      return answer;
    },
  },
];

/** Who asks: two people in a space may name their sessions alike. */
const readerOf = ({ directory, caller }: Memory) => directory.idOf(caller).toString('hex');

/** The memories that the body lists; none if it lists none. */
async function searchedMemories({ services, identity }: Call, body: unknown): Promise<NamedMemory[]> {
  const { spaces } = body as { spaces?: unknown };
  if (spaces === undefined || spaces === null) return [];
  if (typeof spaces !== 'string') throw badType('spaces must be a string, such as "mine,platform" or "*".');
  return namedMemories(services.memory(), identity, spaces);
}

function validRequest(body: unknown): Omit<PromptNotesRequest, 'reader'> {
  const { prompt, project, session_id, told, max_chars } = asObject(
    body,
    Object.keys(promptNotesInput.shape),
  );
  const { minChars, maxChars } = PROMPT_NOTES_POLICY;
  if (typeof prompt !== 'string') throw badType('prompt must be a string.');
  const limit = max_chars ?? maxChars;
  if (!Number.isInteger(limit) || (limit as number) < minChars || (limit as number) > maxChars)
    throw badType(`max_chars must be a whole number from ${minChars} to ${maxChars}.`);
  return {
    prompt,
    project: project === undefined || project === null ? undefined : validProject(project),
    session: validSession(session_id),
    told: validMarks(told),
    maxChars: limit as number,
  };
}

function validMarks(input: unknown): Set<string> {
  const { maxToldMarks } = PROMPT_NOTES_POLICY;
  if (input === undefined || input === null) return new Set();
  if (
    !Array.isArray(input) ||
    input.length > maxToldMarks ||
    !input.every((mark) => typeof mark === 'string')
  )
    throw badType(`told must be at most ${maxToldMarks} marks of earlier answers.`);
  return new Set(input);
}

function validSession(input: unknown): string | undefined {
  const { maxSessionChars } = PROMPT_NOTES_POLICY;
  if (input === undefined || input === null) return undefined;
  if (typeof input !== 'string' || input === '' || input.length > maxSessionChars)
    throw badType(`session_id must be a string of 1 to ${maxSessionChars} characters.`);
  return input;
}

const badType = (message: string) => new AppError('invalid_input', message, { reason: 'bad_type' });
