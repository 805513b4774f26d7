import { useEffect, useState } from 'react';
import { isRecordKey } from '../../api/fact-api.ts';
import { useHotkeys } from '../../kit/use-hotkeys.ts';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { KeyName } from '../list/key-name.tsx';
import { UNDO_MS } from './forget-queue.ts';
import { forgetFailures, forgetQueue, useForgetQueue } from './forgetting.ts';

const RING = 44;
const text = strings.undo;

/** For a run record, only the name of what ran: the rest of its key is an id. */
const nameOf = (key: string) => (isRecordKey(key) ? key.split('/').slice(1, -1).join('/') : key);

/** Offers undo for ten seconds; hovering over it pauses the timer. */
export function UndoToast({ onUndo }: { onUndo?(keys: readonly string[]): void }) {
  const { keys, deadlineMs, leftMs } = useForgetQueue();
  const [nowMs, setNowMs] = useState(Date.now);
  const waiting = keys.length > 0;
  useEffect(() => {
    if (!waiting) return;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), 250);
    return () => clearInterval(timer);
  }, [waiting]);
  const undo = () => {
    const back = forgetQueue.undo();
    if (back.length === 0) return;
    announce(text.undone);
    const facts = back.filter((key) => !isRecordKey(key));
    if (facts.length > 0) onUndo?.(facts);
  };
  useHotkeys({ z: undo }, waiting);
  const failed = forgetFailures().length;
  if (!waiting) {
    return failed === 0 ? null : (
      <div className="toast-place">
        <div className="toast" role="alert">
          {text.failed(failed)}
        </div>
      </div>
    );
  }
  const left = deadlineMs === undefined ? leftMs : Math.max(0, deadlineMs - nowMs);
  return (
    <div className="toast-place">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: hovering only pauses the timer */}
      <div
        className="toast"
        onPointerEnter={forgetQueue.hold}
        onPointerLeave={forgetQueue.release}
        onFocus={forgetQueue.hold}
        onBlur={forgetQueue.release}
      >
        <svg className="undo-ring" viewBox="0 0 18 18" aria-hidden="true">
          <circle cx="9" cy="9" r="7" />
          <circle
            cx="9"
            cy="9"
            r="7"
            style={{ strokeDashoffset: RING * (1 - Math.min(1, left / UNDO_MS)) }}
          />
        </svg>
        <span className="grow cut">
          {keys.length === 1 ? (
            <>
              {text.one}{' '}
              <span className="mono">
                <KeyName name={nameOf(keys[0]!)} />
              </span>
            </>
          ) : (
            text.many(keys.length)
          )}{' '}
          <span className="sub num">{text.seconds(Math.ceil(left / 1000))}</span>
        </span>
        <button type="button" className="btn btn-s" onClick={undo}>
          {text.undo} <kbd>Z</kbd>
        </button>
      </div>
    </div>
  );
}
