import { type ReadResourceResult, type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { learnedDefaults } from '../../engine/history/defaults.ts';
import { myPlans } from '../../engine/history/my-plans.ts';
import { routingCandidates, routingGuide } from '../../engine/routing/routing-guide.ts';
import { AppError } from '../../errors.ts';
import { newestFacts } from '../../memory/facts/fact-pages.ts';
import { cautionText } from '../../memory/facts/freshness.ts';
import { visibleText } from '../../memory/facts/hidden-characters.ts';
import { myMemory } from '../../memory/facts/overview.ts';
import { readFact } from '../../memory/facts/read-facts.ts';
import { withRecallCount } from '../../memory/facts/recall-counts.ts';
import { validKey } from '../../memory/facts/validate-fact.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { assertScope, isAdmin } from '../http/auth.ts';
import type { Sender } from '../mcp-message.ts';
import { FACT_TEMPLATE, factUri, keyInUri, SPACE_FACT_TEMPLATE, spaceFactIn } from './fact-uri.ts';
import { INBOX_APP, INBOX_APP_URI, readInboxApp } from './inbox-app.ts';
import type { McpServices } from './mcp-services.ts';
import { readableMemory, readableSpace } from './sender-memory.ts';
import { readInbox } from './tools/inbox-tools.ts';
import { mayCall, packsOf, toolName } from './tools/tool-names.ts';

const JSON_TYPE = 'application/json';

export const MY_MEMORY = 'helmdeck://my-memory';
export const MY_DEFAULTS = 'helmdeck://my-defaults';
export const MY_PLANS = 'helmdeck://my-plans';
export const INBOX = 'helmdeck://inbox';

interface Document {
  resource: Resource;
  read(services: McpServices, sender: Sender): Promise<unknown>;
}

const document = (uri: string, title: string, description: string, read: Document['read']): Document => ({
  resource: { uri, name: uri.slice('helmdeck://'.length), title, description, mimeType: JSON_TYPE },
  read,
});

/** The resources with a fixed URI. */
export const DOCUMENTS: readonly Document[] = [
  document(
    MY_MEMORY,
    'What is remembered',
    'Categories with counts and recent keys, without values. Read it before storing.',
    async (services, sender) => {
      const memory = readableMemory(services, sender);
      return myMemory(memory, await services.memory().recall.outline(memory));
    },
  ),
  document(
    INBOX,
    'Inbox',
    'What waits for the user to decide before it becomes a fact: counts, and for a token that may review, the texts.',
    readInbox,
  ),
  document(
    MY_DEFAULTS,
    'Usual inputs',
    'What the caller usually runs and with which inputs, and what ran last.',
    async (services, sender) => learnedDefaults(readableMemory(services, sender)),
  ),
  document(
    MY_PLANS,
    'Plans and what became of them',
    'What was planned for which kind of intent, which tools most, and what ran instead.',
    async (services, sender) => myPlans(readableMemory(services, sender)),
  ),
  document(
    'helmdeck://spaces',
    'Spaces',
    'The memories that the user shares with a team, and their role in each, without what they hold.',
    async (services, { identity }) => {
      assertScope(identity, 'memory:read');
      const granted = services.memory().spaces.list(identity);
      return { spaces: granted.map(({ space, role }) => ({ slug: space.slug, role })) };
    },
  ),
  document(
    'helmdeck://routing-guide',
    'Routing guide',
    'Which pack or pipeline fits which request.',
    async ({ memoryIfOn, pipelines, engine }, { identity }) => {
      const on = memoryIfOn();
      const known = on ? await pipelines.list(createMemory(on.parts, identity.caller)) : [];
      return routingGuide(routingCandidates(engine.packs, known, identity.scopes));
    },
  ),
  document(
    'helmdeck://packs',
    'Packs',
    'Every pack, the tool it is, and whether this token may run it.',
    async ({ engine }, { identity }) =>
      packsOf(engine.packs, 'all').map((pack) => ({
        name: pack.name,
        tool: toolName(pack.name),
        version: pack.version,
        description: pack.description,
        metadata: pack.metadata,
        allowed: mayCall(pack, identity),
      })),
  ),
];

export const FACT_RESOURCE_TEMPLATE = {
  uriTemplate: FACT_TEMPLATE,
  name: 'fact',
  title: 'One fact',
  description: 'A remembered fact by its key, with value, version, source and expiry.',
  mimeType: JSON_TYPE,
};

export const SPACE_FACT_RESOURCE_TEMPLATE = {
  uriTemplate: SPACE_FACT_TEMPLATE,
  name: 'space-fact',
  title: 'One fact of a space',
  description: 'A fact that the user shares with a team, by space and key.',
  mimeType: JSON_TYPE,
};

const PAGE_FACTS = 50;
/** A client that reads the whole list must not load a whole memory; the template and completion reach the rest. */
const MAX_LISTED_FACTS = 200;

/** Lists the fixed resources, then the newest facts, page by page. */
export async function listResources(
  services: McpServices,
  sender: Sender,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const { listed, after } = cursor === undefined ? { listed: 0, after: undefined } : parseCursor(cursor);
  const documents = cursor === undefined ? [...DOCUMENTS.map(({ resource }) => resource), INBOX_APP] : [];
  const on = services.memoryIfOn();
  const mayRead = sender.identity.scopes.has('memory:read') || isAdmin(sender.identity);
  if (!on || !mayRead) return { resources: documents };
  const memory = createMemory(on.parts, sender.identity.caller);
  const page = await newestFacts(memory, undefined, { limit: PAGE_FACTS, cursor: after });
  const facts = page.facts.map(({ key, category, updated_at }) => ({
    uri: factUri(key),
    name: key,
    description: `A fact in ${category}`,
    mimeType: JSON_TYPE,
    annotations: { lastModified: updated_at },
  }));
  const listedFacts = listed + facts.length;
  const more = page.next_cursor !== undefined && listedFacts < MAX_LISTED_FACTS;
  return {
    resources: [...documents, ...facts],
    ...(more ? { nextCursor: `${listedFacts}.${page.next_cursor}` } : {}),
  };
}

function parseCursor(cursor: string): { listed: number; after: string } {
  const match = /^(\d{1,4})\.(.+)$/s.exec(cursor);
  if (!match)
    throw new AppError('invalid_input', 'This cursor belongs to a different list.', { reason: 'bad_cursor' });
  return { listed: Number(match[1]), after: match[2]! };
}

export async function readResource(
  services: McpServices,
  sender: Sender,
  uri: string,
): Promise<ReadResourceResult> {
  if (uri === INBOX_APP_URI) return { contents: [readInboxApp()] };
  const known = DOCUMENTS.find(({ resource }) => resource.uri === uri);
  const content = known ? await known.read(services, sender) : await readFactAt(services, sender, uri);
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(content) }] };
}

async function factPlace(
  services: McpServices,
  sender: Sender,
  uri: string,
): Promise<{ memory: Memory; key: string }> {
  const own = keyInUri(uri);
  if (own !== undefined) return { memory: readableMemory(services, sender), key: own };
  const shared = spaceFactIn(uri);
  if (!shared) throw new ResourceNotFoundError(uri, 'There is no such resource.');
  return { memory: await readableSpace(services, sender, shared.slug), key: shared.key };
}

async function readFactAt(services: McpServices, sender: Sender, uri: string): Promise<unknown> {
  const { memory, key } = await factPlace(services, sender, uri);
  try {
    const fact = await withRecallCount(memory, await readFact(memory, validKey(key)));
    const caution = fact.stale ? { caution: cautionText(Date.parse(fact.confirmed_at), memory.now()) } : {};
    return { ...fact, value: visibleText(fact.value), ...caution };
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'not_found')
      throw new ResourceNotFoundError(uri, 'There is no such fact; it may have expired or been forgotten.');
    throw thrown;
  }
}
