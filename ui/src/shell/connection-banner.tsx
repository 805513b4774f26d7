import { useEffect, useState, useSyncExternalStore } from 'react';
import { Icon } from '../kit/icon.tsx';
import { strings } from '../strings.ts';
import { connection, retryNow } from './connection.ts';

/** Shown while the server is unreachable; other errors are shown where they occur. */
export function ConnectionBanner() {
  const { down, nextTryMs } = useSyncExternalStore(connection.subscribe, connection.read);
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    if (!down) return;
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [down]);
  if (!down) return null;
  const seconds = Math.max(0, Math.ceil((nextTryMs - nowMs) / 1000));
  return (
    <div className="note note-danger server-down" role="alert">
      <Icon name="warn" />
      <div className="grow">
        <b>{strings.server.down}</b>
        <div aria-live="off">{strings.server.downDetail(seconds)}</div>
      </div>
      <button type="button" className="btn btn-s" onClick={() => void retryNow()}>
        {strings.server.retry}
      </button>
    </div>
  );
}
