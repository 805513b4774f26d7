import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isReadOnly } from '../api/session-api.ts';
import { Icon } from '../kit/icon.tsx';
import { lazyPart, prefetchParts } from '../kit/lazy-part.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { Link, useLocation, useNavigate, useWhose } from '../navigation/navigation.tsx';
import type { PagePath } from '../navigation/pages.ts';
import { useSession } from '../session/session-context.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import { strings } from '../strings.ts';
import { LiveRegion } from './announcer.tsx';
import { Brand } from './brand.tsx';
import { CommandPalette } from './command-palette.tsx';
import { watchServer } from './connection.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { placesFor, searchOf } from './places.ts';
import { RailLinks } from './rail-links.tsx';
import { RAIL_SLOT } from './rail-slot.tsx';
import { ReadOnlyChip } from './read-only-chip.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const GO: Record<string, PagePath> = {
  m: '/',
  i: '/inbox',
  a: '/agents',
  r: '/routing',
  p: '/packs',
  c: '/connect',
  h: '/health',
};
const AccountMenu = lazyPart(
  () => import('../session/account-menu.tsx'),
  ({ AccountMenu }) => AccountMenu,
);
const InboxBadge = lazyPart(
  () => import('../inbox/inbox-badge.tsx'),
  ({ InboxBadge }) => InboxBadge,
);
const KeyboardHelp = lazyPart(
  () => import('./keyboard-help.tsx'),
  ({ KeyboardHelp }) => KeyboardHelp,
);
const PasswordDialog = lazyPart(
  () => import('../session/password-dialog.tsx'),
  ({ PasswordDialog }) => PasswordDialog,
);
const MoreSheet = lazyPart(
  () => import('./more-sheet.tsx'),
  ({ MoreSheet }) => MoreSheet,
);
const CHORD_MS = 1_000;
/** By then the first page has asked for its data. */
const PREFETCH_AFTER_MS = 1_000;

/** The shell around every page: the rail with the navigation, banners, the palette and the global hotkeys. */
export function AppShell({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<'palette' | 'keys' | 'more' | 'password'>();
  const navigate = useNavigate();
  const goSinceMs = useRef(0);
  const onPalette = () => setOpen('palette');
  const onHelp = () => setOpen('keys');
  const onClose = () => setOpen(undefined);
  useEffect(watchServer, []);
  useEffect(() => {
    const timer = setTimeout(() => void prefetchParts(), PREFETCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const go = (key: string) => () => {
    if (Date.now() - goSinceMs.current > CHORD_MS) return false;
    goSinceMs.current = 0;
    void navigate({ to: GO[key]! });
  };
  useHotkeys({
    'mod+k': onPalette,
    '?': onHelp,
    g: () => {
      goSinceMs.current = Date.now();
    },
  });
  // In the capture phase, before the page, which binds some of these letters on their own.
  useHotkeys(Object.fromEntries(Object.keys(GO).map((key) => [key, go(key)])), true, true);
  return (
    <div className="app">
      <a className="skip" href="#main">
        {strings.nav.skip}
      </a>
      <Rail
        onPalette={onPalette}
        onHelp={onHelp}
        onMore={() => setOpen('more')}
        onPassword={() => setOpen('password')}
      />
      <main className="main" id="main" tabIndex={-1}>
        <ConnectionBanner />
        <WhoseBanner />
        {children}
      </main>
      <LiveRegion />
      {open === 'palette' && <CommandPalette onClose={onClose} />}
      {open === 'keys' && <KeyboardHelp onClose={onClose} />}
      {open === 'more' && (
        <MoreSheet
          onPalette={onPalette}
          onHelp={onHelp}
          onPassword={() => setOpen('password')}
          onClose={onClose}
        />
      )}
      {open === 'password' && <PasswordDialog onClose={onClose} />}
    </div>
  );
}

type RailProps = Record<'onPalette' | 'onHelp' | 'onMore' | 'onPassword', () => void>;

function Rail({ onPalette, onHelp, onMore, onPassword }: RailProps) {
  const session = useSession();
  const leave = useSignOut();
  const here = useLocation();
  const { pathname } = here;
  const places = placesFor(session);
  return (
    <aside className="rail">
      <div className="brand">
        <Brand />
        <span className="grow" />
        <button
          type="button"
          className="btn btn-ghost btn-s open-palette"
          title={strings.palette.open}
          onClick={onPalette}
        >
          <span className="sr">{strings.palette.open} </span>
          <Icon name="search" />
          <kbd>{/Mac/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
      </div>
      <nav className="nav" aria-label={strings.nav.label}>
        {places.map(({ to, icon, label, short }) => (
          <Link
            key={to}
            to={to}
            search={searchOf(to, here)}
            className={short === undefined ? 'no-phone' : ''}
            title={label}
            aria-current={pathname === to ? 'page' : undefined}
          >
            <Icon name={icon} />
            <span className="label-long">{label}</span>
            <span className="label-short">{short}</span>
            {to === '/inbox' && <InboxBadge />}
          </Link>
        ))}
        <button
          type="button"
          className={`only-phone ${places.some(({ to, short }) => to === pathname && short) ? '' : 'on'}`}
          aria-haspopup="dialog"
          onClick={onMore}
        >
          <Icon name="more" />
          <span className="label-short">{strings.nav.more}</span>
        </button>
      </nav>
      <div className="rail-scroll" id={RAIL_SLOT} />
      <RailLinks onHelp={onHelp} />
      <div className="rail-foot">
        <span className="avatar" aria-hidden="true">
          {session.subject.slice(0, 1).toUpperCase()}
        </span>
        <div className="grow">
          <div className="cut rail-name">{session.subject}</div>
          {isReadOnly(session) ? <ReadOnlyChip /> : <div className="small faint cut">{location.host}</div>}
        </div>
        <ThemeSwitch />
        {session.account && <AccountMenu onPassword={onPassword} />}
        {session.expires_at !== null && (
          <button
            type="button"
            className="btn btn-ghost btn-s btn-icon"
            aria-label={strings.signOut}
            title={strings.signOut}
            onClick={() => void leave()}
          >
            <Icon name="leave" />
          </button>
        )}
      </div>
    </aside>
  );
}

/** Shown while the memory is not one's own: that of a space, or on every page that of another caller. */
function WhoseBanner() {
  const { caller, space } = useWhose();
  if (space === undefined && caller === undefined) return null;
  return (
    <div className="banner caller-banner">
      <Icon name={space === undefined ? 'eye' : 'layers'} />
      <div className="grow">
        {space === undefined ? (
          <>
            <b>{strings.other.banner(caller!)}</b> {strings.other.bannerText}
          </>
        ) : (
          <b>{strings.other.space(space)}</b>
        )}
      </div>
      {space !== undefined && (
        <Link to="/spaces" search={{ space }} className="btn btn-s">
          {strings.other.aboutSpace}
        </Link>
      )}
      <Link to="/" search={{}} className="btn btn-s">
        {strings.other.back}
      </Link>
    </div>
  );
}
