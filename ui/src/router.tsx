import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { ConnectPage } from './connect/connect-page.tsx';
import { HealthPage } from './health/health-page.tsx';
import { type MemorySearch, readMemorySearch } from './memory/list/memory-search.ts';
import { MemoryPage } from './memory/memory-page.tsx';
import { readPacksSearch } from './packs/packs-search.ts';
import { readRoutingSearch } from './routing/routing-search.ts';
import { AppShell } from './shell/app-shell.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';

/** The search parameters that every page keeps: whose memory an admin looks at. */
export interface SharedSearch {
  caller?: string;
}

const root = createRootRoute({
  validateSearch: ({ caller }: Record<string, unknown>): SharedSearch =>
    typeof caller === 'string' && caller !== '' ? { caller } : {},
  component: () => (
    <AppShell>
      <Outlet />
    </AppShell>
  ),
  notFoundComponent: NotFoundPage,
});

const memory = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (search: Record<string, unknown>): MemorySearch => readMemorySearch(search),
  component: MemoryPage,
});
const routing = createRoute({
  getParentRoute: () => root,
  path: '/routing',
  validateSearch: readRoutingSearch,
  component: lazyRouteComponent(() => import('./routing/routing-page.tsx'), 'RoutingPage'),
});
const packs = createRoute({
  getParentRoute: () => root,
  path: '/packs',
  validateSearch: readPacksSearch,
  component: lazyRouteComponent(() => import('./packs/packs-page.tsx'), 'PacksPage'),
});
const connect = createRoute({ getParentRoute: () => root, path: '/connect', component: ConnectPage });
const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
});
const health = createRoute({ getParentRoute: () => root, path: '/health', component: HealthPage });

export const router = createRouter({
  routeTree: root.addChildren([memory, routing, packs, connect, agents, health]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** Opened over the entry before it; closing goes back to that one. */
    over?: boolean;
  }
}
