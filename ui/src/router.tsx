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
  {
    path: '/inbox',
    Page: lazyPart(
      () => import('./inbox/inbox-page.tsx'),
      ({ InboxPage }) => InboxPage,
    ),
  },
  {
    path: '/routing',
    Page: lazyPart(
      () => import('./routing/routing-page.tsx'),
      ({ RoutingPage }) => RoutingPage,
    ),
  },
  {
    path: '/packs',
    Page: lazyPart(
      () => import('./packs/packs-page.tsx'),
      ({ PacksPage }) => PacksPage,
    ),
  },
  {
    path: '/connect',
    Page: lazyPart(
      () => import('./connect/connect-page.tsx'),
      ({ ConnectPage }) => ConnectPage,
    ),
  },
  {
    path: '/agents',
    Page: lazyPart(
      () => import('./agents/agents-page.tsx'),
      ({ AgentsPage }) => AgentsPage,
    ),
  },
  {
    path: '/health',
    Page: lazyPart(
      () => import('./health/health-page.tsx'),
      ({ HealthPage }) => HealthPage,
    ),
  },
  {
    path: '/audit',
    Page: lazyPart(
      () => import('./audit/audit-page.tsx'),
      ({ AuditPage }) => AuditPage,
    ),
  },
  {
    path: '/spaces',
    Page: lazyPart(
      () => import('./spaces/spaces-page.tsx'),
      ({ SpacesPage }) => SpacesPage,
    ),
  },
  {
    path: '/people',
    Page: lazyPart(
      () => import('./people/people-page.tsx'),
      ({ PeoplePage }) => PeoplePage,
    ),
  },
];

/** Where an application sends a person to be asked: a page without the shell, because nothing else matters there. */
const CONSENT_PATH = '/oauth/authorize';
const ConsentPage = lazyPart(
  () => import('./consent/consent-page.tsx'),
  ({ ConsentPage }) => ConsentPage,
);

/** The page at the current URL, inside the shell. */
export function Router() {
  const { pathname } = useLocation();
  if (pathname === CONSENT_PATH) return <ConsentPage />;
  const Page = PAGES.find(({ path }) => path === pathname)?.Page ?? NotFoundPage;
  return (
    <AppShell>
      <PartBoundary key={pathname}>
        <Page />
      </PartBoundary>
    </AppShell>
  );
}
