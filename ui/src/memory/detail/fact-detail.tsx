import { type RefObject, useRef, useState } from 'react';
import { isOwn, type Whose } from '../../api/fact-api.ts';
import type { Fact, FactVersion, SearchHit } from '../../api/generated/rest.ts';
import { copyText } from '../../kit/copy-text.ts';
import { DraftNote } from '../../kit/draft-note.tsx';
import { drafts, useDraft } from '../../kit/drafts.ts';
import { Icon } from '../../kit/icon.tsx';
import { SheetHandle } from '../../kit/sheet.tsx';
import { FOCUS_FALLBACK } from '../../kit/use-return-focus.ts';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { draftName, type FactChanges } from '../editor/fact-draft.ts';
import { useFact } from '../fact-queries.ts';
import { forgetLabel } from '../forget/forget-label.ts';
import { KeyName } from '../list/key-name.tsx';
import type { MemorySearch } from '../list/memory-search.ts';
import { WhyHit } from '../list/why-popover.tsx';
import { FactBody } from './fact-body.tsx';
import { FactGone, isGone } from './fact-gone.tsx';
import { FactMenu } from './fact-menu.tsx';
import { FactValue } from './fact-value.tsx';
import { Fold } from './fold.tsx';

const text = strings.detail;

export interface FactActions {
  renew(keys: readonly string[]): void;
  edit(key: string): void;
  /** Opens the form of a new fact, with a key or as a copy of another one. */
  create(start: { key?: string; from?: string }): void;
  forget(keys: readonly string[]): void;
  restore(fact: Fact, version: FactVersion): void;
  merge(key: string, other: string): void;
}

interface FactDetailProps {
  factKey: string;
  hit: SearchHit | undefined;
  /** The search it was found by. */
  search: MemorySearch;
  showWhy: boolean;
  onWhy(): void;
  /** Undefined if the token may not write. Facts that are not one's own can only be forgotten. */
  actions: FactActions | undefined;
  whose: Whose;
  onOpen(key: string): void;
  onFilter(filter: Partial<MemorySearch>): void;
  onVersion(version: number | undefined): void;
  onClose(): void;
}

export function FactDetail(props: FactDetailProps) {
  const { factKey, onClose, onFilter, actions, whose } = props;
  const { data, error, refetch } = useFact(factKey);
  // What was loaded before is kept beside an error; a fact that is gone must not be shown as if it were there.
  const fact = isGone(error) ? undefined : data;
  const own = isOwn(whose) ? actions : undefined;
  const [rawKey, setRawKey] = useState<string>();
  const raw = rawKey === factKey;
  const pressedMs = useRef(0);
  return (
    <aside className="detail" aria-label={factKey}>
      <SheetHandle onClose={onClose} />
      <div className="detail-bar">
        {fact && (
          <>
            <button
              type="button"
              className="chip chip-button cut"
              title={text.filterBy(fact.category)}
              onClick={() => onFilter({ category: fact.category })}
            >
              {fact.category}
            </button>
            <span className="chip chip-line">v{fact.version}</span>
          </>
        )}
        {props.hit && fact && (
          <button
            type="button"
            className="chip chip-accent chip-button why-chip"
            aria-expanded={props.showWhy}
            onClick={props.onWhy}
          >
            {strings.why.chip(props.hit.score.toFixed(2))}
          </button>
        )}
        <span className="grow" />
        {fact && (
          <>
            <CopyButton value={fact.value} />
            <FactMenu
              fact={fact}
              whose={whose}
              raw={raw}
              onRaw={() => setRawKey(raw ? undefined : factKey)}
              onDuplicate={own && (() => own.create({ from: factKey }))}
            />
          </>
        )}
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={text.close}
          title={text.close}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      {props.showWhy && props.hit && <WhyHit hit={props.hit} search={props.search} />}
      <div className="detail-scroll">
        <div className="stack detail-top">
          <h2 className="detail-key">
            <KeyName name={factKey} />
          </h2>
          {own && <Unsaved factKey={factKey} onContinue={fact && (() => own.edit(factKey))} />}
          {fact && (
            <Fold key={factKey}>
              <FactValue value={fact.value} raw={raw} />
            </Fold>
          )}
        </div>
        {fact ? (
          <FactBody {...props} fact={fact} version={props.search.version} own={own} />
        ) : (
          error && (
            <FactGone
              error={error}
              wasThere={data !== undefined}
              onRetry={() => void refetch()}
              onSearch={() => onFilter({ q: wordsOf(factKey), key: undefined })}
              onWrite={own && (() => writeAgain(own, factKey))}
            />
          )
        )}
      </div>
      {fact && actions && <Actions factKey={factKey} pressedMs={pressedMs} actions={actions} whose={whose} />}
    </aside>
  );
}

/** Says that there is unsaved text for this fact. */
function Unsaved({ factKey, onContinue }: { factKey: string; onContinue: (() => void) | undefined }) {
  const name = draftName.fact(factKey);
  const draft = useDraft(name);
  if (!draft) return null;
  return <DraftNote atMs={draft.atMs} onContinue={onContinue} onDiscard={() => drafts.discard(name)} />;
}

/** Opens the form of a new fact under the key of one that is gone, with the text that was being written for it. */
function writeAgain(own: FactActions, key: string): void {
  const typed = drafts.read<FactChanges>(draftName.fact(key))?.value.changes;
  if (typed) {
    drafts.save(draftName.newFact(key), { changes: typed } satisfies FactChanges);
    drafts.discard(draftName.fact(key));
  }
  own.create({ key });
}

const wordsOf = (key: string) => key.split(/[^\p{L}\p{N}]+/u).join(' ');

interface ActionsProps {
  factKey: string;
  /** When Forget was last pressed, for any fact. */
  pressedMs: RefObject<number>;
  actions: FactActions;
  whose: Whose;
}

const AGAIN_MS = 600;

function Actions({ factKey, pressedMs, actions, whose }: ActionsProps) {
  const forget = () => {
    // After a forget the next fact is open: a double click or a held key must not forget that one, too.
    const sinceMs = Date.now() - pressedMs.current;
    pressedMs.current = Date.now();
    if (sinceMs >= AGAIN_MS) actions.forget([factKey]);
  };
  return (
    <div className="actions">
      {isOwn(whose) && (
        <>
          <button type="button" className="btn" onClick={() => actions.renew([factKey])}>
            <Icon name="renew" small />
            {text.renew} <kbd>R</kbd>
          </button>
          <button
            type="button"
            className="btn"
            {...{ [FOCUS_FALLBACK]: '' }}
            onClick={() => actions.edit(factKey)}
          >
            <Icon name="edit" small />
            {text.edit} <kbd>E</kbd>
          </button>
        </>
      )}
      <span className="grow no-phone" />
      <button type="button" className="btn btn-danger" title={text.forgetTitle} onClick={forget}>
        <Icon name="forget" small />
        {forgetLabel(whose)}
      </button>
    </div>
  );
}

function CopyButton({ value }: { value: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    const worked = await copyText(value);
    announce(worked ? text.copied : text.copyFailed);
    if (!worked) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button
      type="button"
      className="btn btn-ghost btn-s btn-icon"
      aria-label={text.copy}
      title={text.copy}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  );
}
