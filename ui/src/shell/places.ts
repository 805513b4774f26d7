import type { Session } from '../api/generated/rest.ts';
import { may } from '../api/session-api.ts';
import type { IconName } from '../kit/icon.tsx';
import type { PageLocation } from '../navigation/location.ts';
import type { PagePath } from '../navigation/pages.ts';
import { strings } from '../strings.ts';

interface Place {
  to: PagePath;
  icon: IconName;
  label: string;
  /** Under its icon on a phone, which has room for four pages; the others are behind "More". */
  short?: string;
  /** Shown to admins only. */
  admins?: true;
}

/** The pages of the navigation. */
const PLACES: readonly Place[] = [
  { to: '/', icon: 'memory', label: strings.nav.memory, short: strings.nav.memory },
  { to: '/inbox', icon: 'inbox', label: strings.nav.inbox, short: strings.nav.inbox },
  { to: '/agents', icon: 'eye', label: strings.nav.agents, short: strings.nav.agentsShort },
  { to: '/routing', icon: 'routing', label: strings.nav.routing },
  { to: '/packs', icon: 'cube', label: strings.nav.packs, short: strings.nav.packsShort },
  { to: '/connect', icon: 'connect', label: strings.nav.connect },
  { to: '/health', icon: 'health', label: strings.nav.health },
  { to: '/spaces', icon: 'layers', label: strings.nav.spaces },
  { to: '/people', icon: 'people', label: strings.nav.people, admins: true },
];

/** Those of them that this session sees. */
export const placesFor = (session: Session) =>
  PLACES.filter(({ admins }) => !admins || (may(session, 'admin') && session.expires_at !== null));

/**
 * Whose memory stays shown on the way to a page. Packs always run as the signed-in user, so the caller whom an admin
 * looks at is not kept there; a space leads from its facts to its members.
 */
export function searchOf(to: PagePath, { pathname, search: { caller, space } }: PageLocation) {
  if (space !== undefined) return pathname === '/' && (to === '/' || to === '/spaces') ? { space } : {};
  return caller === undefined || to === '/packs' ? {} : { caller };
}
