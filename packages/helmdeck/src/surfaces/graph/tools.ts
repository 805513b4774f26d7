import type { CallToolResult, JSONObject, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { entityFact, relationFact } from '../../portability/formats/graph-facts.ts';
import type { Scope } from '../http/auth.ts';
import {
  addObservations,
  assertEntities,
  createAll,
  deleteEntities,
  deleteObservations,
  deleteRelations,
  type GraphAccess,
  readGraph,
  subgraph,
} from './graph.ts';

// The tools of `@modelcontextprotocol/server-memory`, with its names, descriptions and shapes.

export interface GraphTool {
  tool: Tool;
  scope: Scope;
  call(access: GraphAccess, input: unknown): Promise<CallToolResult & { deleted?: number }>;
}

interface GraphResult<Output> {
  result: Output;
  /** The text for the model; the result as JSON if absent. */
  text?: string;
  /** How many facts wait in the inbox instead of being stored. */
  waiting?: number;
  /** How many facts were forgotten, for the audit. */
  deleted?: number;
}

const MAX_ITEMS = 500;

/** Longer ones do not fit in a key. */
const name = () => z.string().min(1).max(512);

const entity = z.object({
  name: name().describe('The name of the entity'),
  entityType: z.string().describe('The type of the entity'),
  observations: z.array(z.string()).describe('An array of observation contents associated with the entity'),
});
const relation = z.object({
  from: name().describe('The name of the entity where the relation starts'),
  to: name().describe('The name of the entity where the relation ends'),
  relationType: name().describe('The type of the relation'),
});
const entities = z.array(entity).max(MAX_ITEMS);
const relations = z.array(relation).max(MAX_ITEMS);
const graph = z.object({ entities: z.array(entity), relations: z.array(relation) });
const done = z.object({ success: z.boolean(), message: z.string() });

type Kind = 'add' | 'delete' | 'read';
const SCOPES: Readonly<Record<Kind, Scope>> = {
  add: 'memory:propose',
  delete: 'memory:write',
  read: 'memory:read',
};

function define<Input extends z.ZodType, Output extends z.ZodObject>(
  name: string,
  description: string,
  kind: Kind,
  schemas: { input: Input; output: Output },
  work: (access: GraphAccess, input: z.output<Input>) => Promise<GraphResult<z.output<Output>>>,
): GraphTool {
  const title = name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => ` ${letter.toUpperCase()}`).trim();
  return {
    tool: {
      name,
      title,
      description,
      inputSchema: jsonSchema(schemas.input, 'input'),
      outputSchema: jsonSchema(schemas.output, 'output'),
      annotations: {
        title,
        readOnlyHint: kind === 'read',
        destructiveHint: kind === 'delete',
        idempotentHint: kind !== 'add',
        openWorldHint: false,
      },
    },
    scope: SCOPES[kind],
    async call(access, input) {
      const parsed = schemas.input.safeParse(input);
      if (!parsed.success) {
        const { path, message } = parsed.error.issues[0]!;
        const where = path.map(String).join('.').slice(0, 100) || 'The input';
        throw new AppError('invalid_input', `${where}: ${message.slice(0, 200)}.`, { reason: 'bad_type' });
      }
      const { result, text, waiting = 0, deleted } = await work(access, parsed.data);
      const [only, ...others] = Object.values(result);
      const json = () => JSON.stringify(others.length === 0 ? only : result, null, 2);
      const notes = waiting === 0 ? [] : [`${waiting} wait in the inbox until a person accepts them.`];
      const texts = [text ?? json(), ...notes];
      return {
        content: texts.map((each) => ({ type: 'text', text: each })),
        structuredContent: { ...result },
        deleted,
      };
    },
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return { ...(rest as JSONObject), type: 'object' as const };
}

function deletion(what: string, deleted?: number): GraphResult<z.output<typeof done>> {
  const message = `${what} deleted successfully`;
  return { result: { success: true, message }, text: message, deleted };
}

export const GRAPH_TOOLS: readonly GraphTool[] = [
  define(
    'create_entities',
    'Create multiple new entities in the knowledge graph',
    'add',
    { input: z.object({ entities }), output: z.object({ entities: z.array(entity) }) },
    async (access, input) => {
      const { stored, waiting } = await createAll(access, input.entities, entityFact);
      return { result: { entities: stored }, waiting };
    },
  ),
  define(
    'create_relations',
    'Create multiple new relations between entities in the knowledge graph. Relations should be in active voice',
    'add',
    { input: z.object({ relations }), output: z.object({ relations: z.array(relation) }) },
    async (access, input) => {
      const { stored, waiting } = await createAll(access, input.relations, relationFact);
      return { result: { relations: stored }, waiting };
    },
  ),
  define(
    'add_observations',
    'Add new observations to existing entities in the knowledge graph',
    'add',
    {
      input: z.object({
        observations: z
          .array(
            z.object({
              entityName: name().describe('The name of the entity to add the observations to'),
              contents: z.array(z.string()).describe('An array of observation contents to add'),
            }),
          )
          .max(MAX_ITEMS),
      }),
      output: z.object({
        results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
      }),
    },
    async (access, { observations }) => {
      await assertEntities(
        access,
        observations.map(({ entityName }) => entityName),
      );
      const results = [];
      let waiting = 0;
      for (const each of observations) {
        const { waiting: isWaiting, ...result } = await addObservations(access, each);
        results.push(result);
        if (isWaiting) waiting++;
      }
      return { result: { results }, waiting };
    },
  ),
  define(
    'delete_entities',
    'Delete multiple entities and their associated relations from the knowledge graph',
    'delete',
    {
      input: z.object({
        entityNames: z.array(name()).max(MAX_ITEMS).describe('An array of entity names to delete'),
      }),
      output: done,
    },
    async (access, { entityNames }) => deletion('Entities', await deleteEntities(access, entityNames)),
  ),
  define(
    'delete_observations',
    'Delete specific observations from entities in the knowledge graph',
    'delete',
    {
      input: z.object({
        deletions: z
          .array(
            z.object({
              entityName: name().describe('The name of the entity containing the observations'),
              observations: z.array(z.string()).describe('An array of observations to delete'),
            }),
          )
          .max(MAX_ITEMS),
      }),
      output: done,
    },
    async (access, { deletions }) => {
      for (const { entityName, observations } of deletions)
        await deleteObservations(access, entityName, observations);
      return deletion('Observations');
    },
  ),
  define(
    'delete_relations',
    'Delete multiple relations from the knowledge graph',
    'delete',
    {
      input: z.object({ relations: relations.describe('An array of relations to delete') }),
      output: done,
    },
    async (access, input) => deletion('Relations', await deleteRelations(access, input.relations)),
  ),
  define(
    'read_graph',
    'Read the entire knowledge graph',
    'read',
    { input: z.object({}), output: graph },
    async (access) => ({ result: await readGraph(access) }),
  ),
  define(
    'search_nodes',
    'Search for nodes in the knowledge graph based on a query',
    'read',
    {
      input: z.object({
        query: z
          .string()
          .describe('The search query to match against entity names, types, and observation content'),
      }),
      output: graph,
    },
    async (access, { query }) => {
      const words = query.toLowerCase();
      const has = (text: string) => text.toLowerCase().includes(words);
      const result = await subgraph(
        access,
        ({ name, entityType, observations }) => has(name) || has(entityType) || observations.some(has),
      );
      return { result };
    },
  ),
  define(
    'open_nodes',
    'Open specific nodes in the knowledge graph by their names',
    'read',
    {
      input: z.object({ names: z.array(z.string()).describe('An array of entity names to retrieve') }),
      output: graph,
    },
    async (access, { names }) => ({ result: await subgraph(access, ({ name }) => names.includes(name)) }),
  ),
];
