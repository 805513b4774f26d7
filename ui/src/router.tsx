import type { ComponentType } from 'react';
import { lazyPart } from './kit/lazy-part.tsx';
import { PartBoundary } from './kit/part-boundary.tsx';
import { MemoryPage } from './memory/memory-page.tsx';
import { useLocation } from './navigation/navigation.tsx';
import type { PagePath } from './navigation/pages.ts';
import { AppShell } from './shell/app-shell.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';

const PAGES: { path: PagePath; Page: ComponentType }[] = [
  { path: '/', Page: MemoryPage },
  { path: '/inbox', Page: lazyPart(async () => (await import('./inbox/inbox-page.tsx')).InboxPage) },
  { path: '/routing', Page: lazyPart(async () => (await import('./routing/routing-page.tsx')).RoutingPage) },
  { path: '/packs', Page: lazyPart(async () => (await import('./packs/packs-page.tsx')).PacksPage) },
  { path: '/connect', Page: lazyPart(async () => (await import('./connect/connect-page.tsx')).ConnectPage) },
  { path: '/agents', Page: lazyPart(async () => (await import('./agents/agents-page.tsx')).AgentsPage) },
  { path: '/health', Page: lazyPart(async () => (await import('./health/health-page.tsx')).HealthPage) },
  { path: '/audit', Page: lazyPart(async () => (await import('./audit/audit-page.tsx')).AuditPage) },
];

/** The page at the current URL, inside the shell. */
export function Router() {
  const { pathname } = useLocation();
  const Page = PAGES.find(({ path }) => path === pathname)?.Page ?? NotFoundPage;
  return (
    <AppShell>
      <PartBoundary key={pathname}>
        <Page />
      </PartBoundary>
    </AppShell>
  );
}
