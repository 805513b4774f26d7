import { ResourceNotFoundError, type Server, type ServerEventBus } from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import type { Change } from '../../memory/changes.ts';
import type { Sender } from '../mcp-message.ts';
import { keyInUri } from './fact-uri.ts';
import type { McpServices } from './mcp-services.ts';
import { DOCUMENTS, MY_DEFAULTS, MY_MEMORY } from './resources.ts';
import { readableMemory } from './sender-memory.ts';

/** Of one connection; a client that wants more than that wants `helmdeck://my-memory`. */
const MAX_SUBSCRIBED = 1_000;

/** Whether what an address shows may be different after a change. */
function touches(change: Change, uri: string): boolean {
  const { type, key } = change;
  if (type === 'run') return uri === MY_DEFAULTS;
  if (uri === MY_MEMORY) return true;
  if (uri === MY_DEFAULTS) return type === 'forget' || type === 'erase';
  const shown = keyInUri(uri);
  if (shown === undefined) return false;
  // A change without a key took many facts away, and does not say which.
  return key === undefined || key === shown;
}

/** Tells of changes in the sender's own memory, whichever surface made them. */
function watchMemory(services: McpServices, sender: Sender, onChange: (change: Change) => void): () => void {
  const { changes, directory, caller } = readableMemory(services, sender);
  return changes.subscribe(directory.idOf(caller), onChange);
}

function assertSubscribable(uri: string): void {
  if (keyInUri(uri) !== undefined || DOCUMENTS.some(({ resource }) => resource.uri === uri)) return;
  throw new ResourceNotFoundError(uri, 'There is no such resource.');
}

/** `resources/subscribe` of the older protocol, for as long as a connection lives. */
export function createSubscriptions(services: McpServices, server: Server) {
  const uris = new Set<string>();
  let stop: (() => void) | undefined;
  const tell = (change: Change) => {
    for (const uri of uris)
      if (touches(change, uri)) void server.sendResourceUpdated({ uri }).catch(() => {});
  };
  return {
    subscribe(uri: string, sender: Sender): void {
      assertSubscribable(uri);
      if (uris.size >= MAX_SUBSCRIBED && !uris.has(uri))
        throw new AppError('resource_exhausted', `At most ${MAX_SUBSCRIBED} subscriptions at once.`);
      // A session belongs to one caller, so the first subscriber's memory is everybody's here.
      stop ??= watchMemory(services, sender, tell);
      uris.add(uri);
    },
    unsubscribe: (uri: string): void => void uris.delete(uri),
    end(): void {
      stop?.();
      stop = undefined;
      uris.clear();
    },
  };
}

/** What `subscriptions/listen` of the newer protocol asks to hear about; nothing when a message is another one. */
export interface Listening {
  uris: string[];
  toTools: boolean;
}

export function listeningOf(message: unknown): Listening | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { notifications?: unknown } };
  if (method !== 'subscriptions/listen') return undefined;
  const { resourceSubscriptions, toolsListChanged } = (params?.notifications ?? {}) as Record<
    string,
    unknown
  >;
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  return {
    uris: uris.filter((uri): uri is string => typeof uri === 'string').slice(0, MAX_SUBSCRIBED),
    toTools: toolsListChanged === true,
  };
}

/** For messages that nobody goes on listening after. */
export const SILENT_BUS: ServerEventBus = { publish() {}, subscribe: () => () => {} };

/** One sender's changes as the SDK's event bus, so that a stream can only ever hear of its own caller's. */
export function callersBus(
  services: McpServices,
  sender: Sender,
  { uris, toTools }: Listening,
): ServerEventBus {
  return {
    publish() {}, // nobody else has anything to say here
    subscribe(listener) {
      const tell = (change: Change) => {
        for (const uri of uris) if (touches(change, uri)) listener({ kind: 'resource_updated', uri });
      };
      const stops = [
        ...(uris.length > 0 ? [watchMemory(services, sender, tell)] : []),
        ...(toTools ? [services.engine.packs.subscribe(() => listener({ kind: 'tools_list_changed' }))] : []),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
