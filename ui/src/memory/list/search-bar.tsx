import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';

interface SearchBarProps {
  q: string | undefined;
  /** Called at every keystroke. */
  onSearch(q: string | undefined): void;
  summary: string;
  input: RefObject<HTMLInputElement | null>;
  onNew: (() => void) | undefined;
  /** The arrow keys move through the list. */
  onMove(step: 1 | -1): void;
  /** Moves the focus to the list. */
  onLeave(): void;
}

const text = strings.memory;

export function SearchBar({ q, onSearch, summary, input, onNew, onMove, onLeave }: SearchBarProps) {
  const [typed, setTyped] = useState(q ?? '');
  const sent = useRef(q ?? '');
  useEffect(() => {
    // Only a search from elsewhere, such as the palette or the back button, replaces what is typed.
    if ((q ?? '') !== sent.current) setTyped(q ?? '');
    sent.current = q ?? '';
  }, [q]);
  const search = (value: string) => {
    setTyped(value);
    sent.current = value.trim();
    onSearch(value.trim() === '' ? undefined : value.trim());
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const moves: Record<string, 1 | -1> = { ArrowDown: 1, ArrowUp: -1 };
    const step = moves[event.key];
    if (step !== undefined) {
      event.preventDefault();
      onMove(step);
    } else if (event.key === 'Enter') onLeave();
    else if (event.key === 'Escape') {
      if (typed === '') onLeave();
      else search('');
    }
  };
  return (
    <search className="searchbar">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        aria-label={text.search}
        placeholder={text.searchPlaceholder}
        value={typed}
        spellCheck={false}
        autoComplete="off"
        enterKeyHint="search"
        onChange={(event) => search(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {typed !== '' && (
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={text.clear}
          onClick={() => {
            search('');
            input.current?.focus();
          }}
        >
          <Icon name="close" />
        </button>
      )}
      <span className="small faint num nowrap no-phone">{summary}</span>
      <kbd className="no-phone">/</kbd>
      {onNew && (
        <button
          type="button"
          className="btn btn-primary btn-s new-fact"
          aria-label={text.newFact}
          onClick={onNew}
        >
          <Icon name="plus" small />
          <span className="no-phone">{text.newFact}</span>
        </button>
      )}
    </search>
  );
}
