import { type AuditSearch, readAuditSearch } from '../audit/audit-search.ts';
import { type ConnectSearch, readConnectSearch } from '../connect/connect-search.ts';
import { type InboxSearch, readInboxSearch } from '../inbox/inbox-search.ts';
import { type MemorySearch, readMemorySearch } from '../memory/list/memory-search.ts';
import { type PacksSearch, readPacksSearch } from '../packs/packs-search.ts';
import { type RoutingSearch, readRoutingSearch } from '../routing/routing-search.ts';

/** The search parameters that pages share: whose memory is shown, and which space is open. */
interface SharedSearch {
  caller?: string;
  space?: string;
}

/** The search parameters of each page. */
interface PageSearches {
  '/': MemorySearch;
  '/inbox': InboxSearch;
  '/routing': RoutingSearch;
  '/packs': PacksSearch;
  '/connect': ConnectSearch;
  '/agents': object;
  '/health': object;
  '/audit': AuditSearch;
  '/people': object;
  '/spaces': object;
}

export type PagePath = keyof PageSearches;
export type PageSearch<P extends PagePath> = PageSearches[P] & SharedSearch;
/** The search parameters of any page, where a component is used on several. */
export type AnySearch = SharedSearch &
  Omit<
    Partial<MemorySearch & RoutingSearch & PacksSearch & ConnectSearch & InboxSearch & AuditSearch>,
    'mode' | 'version'
  >;

type Reader<T> = (search: Record<string, unknown>) => T;
const nothing = () => ({});
const READERS: { [P in PagePath]: Reader<PageSearches[P]> } = {
  '/': readMemorySearch,
  '/inbox': readInboxSearch,
  '/routing': readRoutingSearch,
  '/packs': readPacksSearch,
  '/connect': readConnectSearch,
  '/agents': nothing,
  '/health': nothing,
  '/audit': readAuditSearch,
  '/people': nothing,
  '/spaces': nothing,
};

/** The search parameters that the page at a path knows, without invalid ones. */
export function readSearch(pathname: string, search: Record<string, unknown>): AnySearch {
  const read = Object.hasOwn(READERS, pathname) ? READERS[pathname as PagePath] : nothing;
  return { ...readShared(pathname, search), ...read(search) };
}

const SPACE_PAGES: readonly string[] = ['/', '/spaces'];

/** A space is only where its facts or its members are shown: every other page is about a person. */
function readShared(pathname: string, { caller, space }: Record<string, unknown>): SharedSearch {
  if (SPACE_PAGES.includes(pathname) && typeof space === 'string' && space !== '') return { space };
  return typeof caller === 'string' && caller !== '' ? { caller } : {};
}
