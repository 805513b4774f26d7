import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router';
import { ConnectPage } from './connect/connect-page.tsx';
import { AppFrame } from './frame/app-frame.tsx';
import { NotFoundPage } from './frame/not-found-page.tsx';
import { HealthPage } from './health/health-page.tsx';
import { MemoryPage } from './memory/memory-page.tsx';
import { type MemorySearch, readMemorySearch } from './memory/memory-search.ts';

/** What any page carries along: whose memory an admin looks at. */
export interface SharedSearch {
  caller?: string;
}

const root = createRootRoute({
  validateSearch: ({ caller }: Record<string, unknown>): SharedSearch =>
    typeof caller === 'string' && caller !== '' ? { caller } : {},
  component: () => (
    <AppFrame>
      <Outlet />
    </AppFrame>
  ),
  notFoundComponent: NotFoundPage,
});

const memory = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (search: Record<string, unknown>): MemorySearch => readMemorySearch(search),
  component: MemoryPage,
});
const connect = createRoute({ getParentRoute: () => root, path: '/connect', component: ConnectPage });
const health = createRoute({ getParentRoute: () => root, path: '/health', component: HealthPage });

export const router = createRouter({ routeTree: root.addChildren([memory, connect, health]) });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
