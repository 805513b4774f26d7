import { ResourceNotFoundError, type Server, type ServerEventBus } from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import type { Change } from '../../memory/changes.ts';
import { unknownSpace } from '../../memory/spaces/space.ts';
import { assertScope } from '../http/auth.ts';
import type { Sender } from '../mcp-message.ts';
import { keyInUri, spaceFactIn } from './fact-uri.ts';
import type { McpServices } from './mcp-services.ts';
import { DOCUMENTS, INBOX, MY_DEFAULTS, MY_MEMORY, MY_PLANS } from './resources.ts';
import { readableMemory } from './sender-memory.ts';

/** Per connection; a client that needs more can subscribe to `helmdeck://my-memory`. */
const MAX_SUBSCRIPTIONS = 1_000;

/** Whether a change of a memory may alter a fact in it. A change without a key deleted several and does not say which. */
const affectsFact = ({ type, key }: Change, factKey: string) =>
  type !== 'recall' && type !== 'run' && type !== 'proposal' && (key === undefined || key === factKey);

/** Whether a change of the sender's own memory may alter the content of a resource. */
function affects(change: Change, uri: string): boolean {
  const { type } = change;
  if (type === 'recall') return false;
  const isOfRuns = uri === MY_DEFAULTS || uri === MY_PLANS;
  if (type === 'run') return isOfRuns;
  if (uri === MY_MEMORY) return true;
  if (uri === INBOX) return type !== 'store';
  if (isOfRuns) return type === 'forget' || type === 'erase';
  const factKey = keyInUri(uri);
  return factKey !== undefined && affectsFact(change, factKey);
}

/** Subscribes to changes of the sender's own memory, from any surface. */
function watchMemory(services: McpServices, sender: Sender, onChange: (change: Change) => void): () => void {
  const { changes, directory, caller } = readableMemory(services, sender);
  return changes.subscribe(directory.idOf(caller), onChange);
}

/** Subscribes to a fact of a space, for as long as the sender is granted the space. */
function watchSpaceFact(
  services: McpServices,
  { identity }: Sender,
  { slug, key }: { slug: string; key: string },
  onChange: () => void,
): () => void {
  assertScope(identity, 'memory:read');
  const { parts, spaces } = services.memory();
  const granted = spaces.find(identity, slug);
  if (!granted) throw unknownSpace();
  return parts.changes.subscribe(parts.directory.idOf(granted.space.caller), (change) => {
    if (affectsFact(change, key) && spaces.find(identity, slug)) onChange();
  });
}

function assertSubscribable(uri: string): void {
  if (keyInUri(uri) !== undefined || DOCUMENTS.some(({ resource }) => resource.uri === uri)) return;
  throw new ResourceNotFoundError(uri, 'There is no such resource.');
}

/** `resources/subscribe` of the older protocol, for the lifetime of a connection. */
export function createSubscriptions(services: McpServices, server: Server, isLive = () => true) {
  const uris = new Set<string>();
  /** By the URI of a fact of a space. */
  const stops = new Map<string, () => void>();
  let stop: (() => void) | undefined;
  const notify = (change: Change) => {
    if (!isLive()) return;
    for (const uri of uris)
      if (affects(change, uri)) void server.sendResourceUpdated({ uri }).catch(() => {});
  };
  return {
    subscribe(uri: string, sender: Sender): void {
      const shared = spaceFactIn(uri);
      if (!shared) assertSubscribable(uri);
      if (uris.size + stops.size >= MAX_SUBSCRIPTIONS && !uris.has(uri) && !stops.has(uri))
        throw new AppError('resource_exhausted', `At most ${MAX_SUBSCRIPTIONS} subscriptions at once.`);
      if (shared) {
        const announce = () => {
          if (isLive()) void server.sendResourceUpdated({ uri }).catch(() => {});
        };
        const stopOfUri = watchSpaceFact(services, sender, shared, announce);
        stops.get(uri)?.();
        stops.set(uri, stopOfUri);
        return;
      }
      // A session belongs to one caller, so all its subscriptions watch the same memory.
      stop ??= watchMemory(services, sender, notify);
      uris.add(uri);
    },
    unsubscribe(uri: string): void {
      uris.delete(uri);
      stops.get(uri)?.();
      stops.delete(uri);
    },
    end(): void {
      stop?.();
      stop = undefined;
      uris.clear();
      for (const each of stops.values()) each();
      stops.clear();
    },
  };
}

/** What a `subscriptions/listen` message of the 2026 protocol subscribes to. */
export interface ListenRequest {
  uris: string[];
  toTools: boolean;
}

/** Undefined for any other message. */
export function listenRequestOf(message: unknown): ListenRequest | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { notifications?: unknown } };
  if (method !== 'subscriptions/listen') return undefined;
  const { resourceSubscriptions, toolsListChanged } = (params?.notifications ?? {}) as Record<
    string,
    unknown
  >;
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  return {
    uris: uris.filter((uri): uri is string => typeof uri === 'string').slice(0, MAX_SUBSCRIPTIONS),
    toTools: toolsListChanged === true,
  };
}

/** For messages without a stream: emits nothing. */
export const NO_EVENTS: ServerEventBus = { publish() {}, subscribe: () => () => {} };

/** The changes of one sender's memory as an event bus for the SDK, so that a stream never receives those of another caller. */
export function senderEventBus(
  services: McpServices,
  sender: Sender,
  { uris, toTools }: ListenRequest,
  isLive: () => boolean,
): ServerEventBus {
  return {
    publish() {}, // events come from memory and the pack registry only
    subscribe(listener) {
      const notify = (change: Change) => {
        if (!isLive()) return;
        for (const uri of uris) if (affects(change, uri)) listener({ kind: 'resource_updated', uri });
      };
      const toFacts = uris.flatMap((uri) => {
        const shared = spaceFactIn(uri);
        const announce = () => {
          if (isLive()) listener({ kind: 'resource_updated', uri });
        };
        return shared ? [watchSpaceFact(services, sender, shared, announce)] : [];
      });
      const stops = [
        ...toFacts,
        ...(uris.length > 0 ? [watchMemory(services, sender, notify)] : []),
        ...(toTools ? [services.engine.packs.subscribe(() => listener({ kind: 'tools_list_changed' }))] : []),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
