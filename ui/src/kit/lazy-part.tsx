import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react';
import { PartBoundary } from './part-boundary.tsx';
import { retryImport } from './retry-import.ts';

const parts: { prefetch(): Promise<unknown> }[] = [];

type Loaded<Props> = { Part: ComponentType<Props> } | { thrown: unknown };

/**
 * A component whose code is loaded on first use, or before that when the browser is idle. If it cannot be loaded, the
 * rest of the app stays as it is, and the user can try again. Without Suspense, which shows what it waited for only
 * 300 ms after its fallback.
 */
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
  /** Shown while it loads. */
  fallback?: ReactNode,
): ComponentType<Props> {
  const tryLoad = retryImport(load);
  const listeners = new Set<() => void>();
  let loading: Promise<void> | undefined;
  let loaded: Loaded<Props> | undefined;
  const start = () => {
    loading ??= tryLoad()
      .then(
        (module) => ({ Part: pick(module) }),
        (thrown: unknown) => ({ thrown }),
      )
      .then((result) => {
        loaded = result;
        for (const listener of listeners) listener();
      });
    return loading;
  };
  const forgetFailure = () => {
    if (loaded && 'Part' in loaded) return;
    loading = undefined;
    loaded = undefined;
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    void start();
    return () => void listeners.delete(listener);
  };
  // A failure stays while it is shown: rendering must not start one load after the other.
  const prefetch = () => start().then(() => listeners.size === 0 && forgetFailure());
  parts.push({ prefetch });
  function Content(props: Props) {
    const now = useSyncExternalStore(subscribe, () => loaded);
    if (!now) return fallback;
    if ('thrown' in now) throw now.thrown;
    return <now.Part {...props} />;
  }
  return (props) => (
    <PartBoundary onRetry={forgetFailure}>
      <Content {...props} />
    </PartBoundary>
  );
}

/** Loads the code of all parts, one after the other, so that they open even if the server is away by then. */
export async function prefetchParts(): Promise<void> {
  // A loaded part may add more of them.
  for (let part = parts.shift(); part; part = parts.shift()) await part.prefetch();
}
