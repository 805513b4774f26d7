import { useEffect, useSyncExternalStore } from 'react';
import { lazyPart } from '../../kit/lazy-part.tsx';
import { notices } from '../../kit/notices.ts';
import { retryImport } from '../../kit/retry-import.ts';
import { useForgetQueue } from './forgetting.ts';
import type { UndoToastProps } from './toasts.tsx';

const load = retryImport(() => import('./toasts.tsx'));
const Toasts = lazyPart(load, (module) => module.Toasts);

/** What the last write did, with the offer to undo it; nothing before the first write. */
export function UndoToast(props: UndoToastProps) {
  const { keys } = useForgetQueue();
  // Not when the first toast is due: that may say that the server is away.
  useEffect(() => void load().catch(() => {}), []);
  const notice = useSyncExternalStore(notices.subscribe, notices.state);
  return keys.length === 0 && !notice ? null : <Toasts {...props} />;
}
