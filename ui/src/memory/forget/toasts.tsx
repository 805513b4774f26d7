import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { isRecordKey } from '../../api/fact-api.ts';
import { Icon } from '../../kit/icon.tsx';
import { NOTICE_MS, notices, type ShownNotice } from '../../kit/notices.ts';
import { UNDO_MS } from '../../kit/undo-queue.ts';
import { useHotkeys } from '../../kit/use-hotkeys.ts';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { KeyName } from '../list/key-name.tsx';
import { forgetQueue, useForgetQueue } from './forgetting.ts';

export interface UndoToastProps {
  /** Called with the facts that were brought back. */
  onUndo?(keys: readonly string[]): void;
}

const RING = 44;
const text = strings.undo;

/** For a run record, only the name of what ran: the rest of its key is an id. */
const nameOf = (key: string) => (isRecordKey(key) ? key.split('/').slice(1, -1).join('/') : key);

/** Says what the last write did and offers to undo it for ten seconds; hovering pauses the time. */
export function Toasts({ onUndo }: UndoToastProps) {
  const forget = useForgetQueue();
  const notice = useSyncExternalStore(notices.subscribe, notices.state);
  // A forget that is part of another write, such as a merge, is undone with it.
  const keys = forget.keys.filter((key) => !notice?.forgets?.includes(key));
  const bringBack = () => {
    const back = forgetQueue.bringBack(keys);
    if (back.length === 0) return;
    announce(text.undone);
    const facts = back.filter((key) => !isRecordKey(key));
    if (facts.length > 0) onUndo?.(facts);
  };
  // A notice is always newer than the pending forgets: forgetting dismisses it.
  const undo = notice?.undo ? () => void notice.undo?.() : keys.length > 0 ? bringBack : undefined;
  useHotkeys(undo ? { z: undo } : {});
  if (!notice && keys.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only pauses the timer
    <div
      className="toast-place"
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      {keys.length > 0 && (
        <Toast
          ring={<Ring deadlineMs={forget.deadlineMs} leftMs={forget.leftMs} ofMs={UNDO_MS} />}
          onUndo={bringBack}
        >
          {keys.length === 1 ? (
            <>
              {text.one} <Key name={nameOf(keys[0]!)} />
            </>
          ) : (
            text.many(keys.length)
          )}
        </Toast>
      )}
      {notice && <NoticeToast notice={notice} />}
    </div>
  );
}

function hold() {
  forgetQueue.hold();
  notices.hold();
}
function release() {
  forgetQueue.release();
  notices.release();
}

function NoticeToast({ notice }: { notice: ShownNotice }) {
  const { undo, retry } = notice;
  if (retry) {
    return (
      <div className="toast" role="alert">
        <Icon name="warn" />
        <span className="grow">{notice.text}</span>
        <button type="button" className="btn btn-s" onClick={retry}>
          {text.retry}
        </button>
        <button
          type="button"
          className="btn btn-s btn-icon"
          aria-label={text.close}
          title={text.close}
          onClick={notices.dismiss}
        >
          <Icon name="close" small />
        </button>
      </div>
    );
  }
  return (
    <Toast
      ring={
        undo ? (
          <Ring deadlineMs={notice.deadlineMs} leftMs={notice.leftMs} ofMs={NOTICE_MS} />
        ) : (
          <Icon name="check" />
        )
      }
      onUndo={undo && (() => void undo())}
    >
      {notice.text} {notice.key !== undefined && <Key name={notice.key} />}
    </Toast>
  );
}

interface ToastProps {
  ring: ReactNode;
  onUndo: (() => void) | undefined;
  children: ReactNode;
}

function Toast({ ring, onUndo, children }: ToastProps) {
  return (
    <div className="toast">
      {ring}
      <span className="grow cut">{children}</span>
      {onUndo && (
        <button type="button" className="btn btn-s" onClick={onUndo}>
          {text.undo} <kbd>Z</kbd>
        </button>
      )}
    </div>
  );
}

const Key = ({ name }: { name: string }) => (
  <span className="mono">
    <KeyName name={name} />
  </span>
);

interface RingProps {
  deadlineMs: number | undefined;
  leftMs: number;
  ofMs: number;
}

/** The time that is left, as a ring and in seconds. */
function Ring({ deadlineMs, leftMs, ofMs }: RingProps) {
  const [nowMs, setNowMs] = useState(Date.now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new deadline starts the clock again
  useEffect(() => {
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), 250);
    return () => clearInterval(timer);
  }, [deadlineMs]);
  const left = Math.min(ofMs, deadlineMs === undefined ? leftMs : Math.max(0, deadlineMs - nowMs));
  return (
    <>
      <svg className="undo-ring" viewBox="0 0 18 18" aria-hidden="true">
        <circle cx="9" cy="9" r="7" />
        <circle cx="9" cy="9" r="7" style={{ strokeDashoffset: RING * (1 - left / ofMs) }} />
      </svg>
      <span className="sub num">{text.seconds(Math.ceil(left / 1000))}</span>
    </>
  );
}
