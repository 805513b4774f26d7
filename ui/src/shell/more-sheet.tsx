import { isReadOnly, may } from '../api/session-api.ts';
import { Dialog } from '../kit/dialog.tsx';
import { Icon, type IconName } from '../kit/icon.tsx';
import { Link, useLocation } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import { strings } from '../strings.ts';
import { placesFor, searchOf } from './places.ts';
import { Version } from './rail-links.tsx';
import { ReadOnlyChip } from './read-only-chip.tsx';
import { switchTheme } from './theme-switch.tsx';

interface MoreSheetProps {
  onPalette(): void;
  onHelp(): void;
  onPassword(): void;
  onClose(): void;
}

/** On a phone: what the rail has besides the tabs. */
export function MoreSheet({ onPalette, onHelp, onPassword, onClose }: MoreSheetProps) {
  const session = useSession();
  const leave = useSignOut();
  const location = useLocation();
  const audit = { to: '/audit', icon: 'file', label: strings.nav.audit } as const;
  const pages = [
    ...placesFor(session).filter(({ short }) => short === undefined),
    ...(may(session, 'admin') ? [audit] : []),
  ];
  const row = (icon: IconName, label: string, act: () => void) => (
    <button type="button" className="more-row" onClick={act}>
      <Icon name={icon} />
      {label}
    </button>
  );
  return (
    <Dialog label={strings.nav.more} className="sheet more-sheet" onClose={onClose}>
      <div className="row between">
        <h2>{strings.nav.more}</h2>
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={strings.nav.closeMore}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      {row('search', strings.palette.placeholder, onPalette)}
      <nav aria-label={strings.nav.morePages}>
        {pages.map(({ to, icon, label }) => (
          <Link
            key={to}
            to={to}
            search={searchOf(to, location)}
            className="more-row"
            aria-current={location.pathname === to ? 'page' : undefined}
            onClick={onClose}
          >
            <Icon name={icon} />
            {label}
          </Link>
        ))}
      </nav>
      <div>
        {row('help', strings.help, onHelp)}
        <a className="more-row" href="/docs">
          <Icon name="braces" />
          {strings.api}
        </a>
        {row('contrast', strings.theme, switchTheme)}
        {session.account?.has_password && row('key', strings.account.change, onPassword)}
        {session.account && row('screen', strings.account.everywhere, () => void leave('all'))}
        {session.expires_at !== null && row('leave', strings.signOut, () => void leave())}
      </div>
      <p className="small faint row between">
        <span className="cut">{strings.nav.signedInAs(session.subject)}</span>
        {isReadOnly(session) && <ReadOnlyChip />}
        <Version />
      </p>
    </Dialog>
  );
}
