import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useEffect, useImperativeHandle, useState } from 'react';
import { isOwn, searchFacts } from '../api/fact-api.ts';
import { may } from '../api/session-api.ts';
import { Icon, type IconName } from '../kit/icon.tsx';
import { KeyName } from '../memory/list/key-name.tsx';
import { useLocation, useNavigate, useWhose } from '../navigation/navigation.tsx';
import type { PagePath } from '../navigation/pages.ts';
import { useRunnable } from '../packs/use-runnable.ts';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { searchOf } from './places.ts';
import { switchTheme } from './theme-switch.tsx';

const text = strings.palette;
const SHOWN_FACTS = 5;

interface Option {
  id: string;
  group: string;
  icon: IconName;
  label: string;
  fact?: boolean;
  end?: string;
  run(): void;
}

interface PaletteResultsProps {
  typed: string;
  /** Gets what handles the keys of the input. */
  onKeyDown: RefObject<((event: KeyboardEvent) => void) | null>;
  /** Called with the id of the option that Enter would choose. */
  onActive(id: string | undefined): void;
  onClose(): void;
}

/** What fits the typed text: facts, actions and pages. */
export function PaletteResults({ typed, onKeyDown, onActive, onClose }: PaletteResultsProps) {
  const [{ at, of }, setAt] = useState({ at: 0, of: typed });
  const options = useOptions(typed.trim());
  // Other words begin at the first result.
  const index = of === typed ? Math.min(at, options.length - 1) : 0;
  const chosen = options[index];
  const run = (option: Option | undefined) => {
    if (!option) return;
    onClose();
    option.run();
  };
  useImperativeHandle(onKeyDown, () => (event: KeyboardEvent) => {
    const last = options.length - 1;
    if (event.key === 'ArrowDown') setAt({ at: Math.min(last, index + 1), of: typed });
    else if (event.key === 'ArrowUp') setAt({ at: Math.max(0, index - 1), of: typed });
    else if (event.key === 'Enter') run(chosen);
    else return;
    event.preventDefault();
  });
  const active = chosen && `palette-${chosen.id}`;
  useEffect(() => onActive(active), [onActive, active]);
  const groups = [...new Set(options.map(({ group }) => group))];
  return (
    <>
      {options.length === 0 && <p className="p-4 faint">{text.nothing}</p>}
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be part of a listbox
        <div key={group} className="grp" role="group" aria-label={group}>
          <div className="gh" aria-hidden="true">
            {group}
          </div>
          {options
            .filter((option) => option.group === group)
            .map((option) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the input refers to it with aria-activedescendant
              <div
                key={option.id}
                id={`palette-${option.id}`}
                role="option"
                aria-selected={option === chosen}
                className={`opt ${option === chosen ? 'sel' : ''}`}
                onClick={() => run(option)}
              >
                <Icon name={option.icon} />
                {option.fact ? (
                  <span className="key">
                    <KeyName name={option.label} />
                  </span>
                ) : (
                  <span className="cut">{option.label}</span>
                )}
                {option.end && <span className="end cut">{option.end}</span>}
              </div>
            ))}
        </div>
      ))}
    </>
  );
}

function useOptions(q: string): Option[] {
  const navigate = useNavigate();
  const session = useSession();
  const location = useLocation();
  const whose = useWhose();
  const { data } = useQuery({
    queryKey: ['memory', 'palette', whose, q],
    queryFn: ({ signal }) => searchFacts({ q, limit: SHOWN_FACTS }, { ...whose, signal }),
    placeholderData: keepPreviousData,
  });
  const facts = (data?.results ?? []).map(
    ({ key, category }): Option => ({
      id: `fact-${encodeURIComponent(key)}`,
      group: text.facts,
      icon: 'memory',
      label: key,
      fact: true,
      end: category,
      run: () => void navigate({ to: '/', search: { ...whose, key } }),
    }),
  );
  const act = (id: string, icon: IconName, label: string, run: () => void): Option => ({
    id,
    group: text.actions,
    icon,
    label,
    run,
  });
  const go = (to: PagePath, icon: IconName, label: string): Option => ({
    id: `go-${icon}`,
    group: text.places,
    icon,
    label,
    run: () => void navigate({ to, search: searchOf(to, location) }),
  });
  const rest = [
    ...(isOwn(whose)
      ? [
          act(
            'new',
            'plus',
            q === '' ? text.newFact : text.storeAs(q),
            () => void navigate({ to: '/', search: { mode: 'new', ...(q === '' ? {} : { q }) } }),
          ),
        ]
      : []),
    act(
      'soon',
      'clock',
      text.renewSoon,
      () => void navigate({ to: '/', search: { ...whose, expiring: true } }),
    ),
    act('theme', 'sun', strings.theme, switchTheme),
    go('/', 'memory', strings.nav.memory),
    go('/routing', 'routing', strings.nav.routing),
    go('/packs', 'cube', strings.nav.packs),
    go('/connect', 'connect', strings.nav.connect),
    go('/inbox', 'inbox', strings.nav.inbox),
    go('/agents', 'eye', strings.nav.agents),
    go('/health', 'health', strings.nav.health),
    ...(may(session, 'admin') ? [go('/audit', 'file', strings.nav.audit)] : []),
  ];
  const words = q.toLowerCase();
  const runnable = useRunnable(q).map(
    ({ kind, id, name }): Option => ({
      ...act(
        `run-${kind}-${id}`,
        'cube',
        text.runIt(name),
        () => void navigate({ to: '/packs', search: { [kind]: id } }),
      ),
      end: text.kinds[kind],
    }),
  );
  return [
    ...facts,
    ...runnable,
    ...rest.filter(({ id, label }) => id === 'new' || label.toLowerCase().includes(words)),
  ];
}
