import { type ComponentType, type ReactNode, Suspense, use } from 'react';
import { PartBoundary } from './part-boundary.tsx';

const parts: { prefetch(): Promise<unknown> }[] = [];

/**
 * A component whose code is loaded on first use, or before that when the browser is idle. If it cannot be loaded, the
 * rest of the app stays as it is, and the user can try again.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  /** Shown while it loads. */
  fallback?: ReactNode,
): ComponentType<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  const start = () => {
    loading ??= load();
    return loading;
  };
  const forget = () => {
    loading = undefined;
  };
  parts.push({ prefetch: () => start().catch(forget) });
  function Loaded(props: Props) {
    // A failed load stays until the user tries again: rendering must not start one load after the other.
    const Part = use(start());
    return <Part {...props} />;
  }
  return (props) => (
    <PartBoundary onRetry={forget}>
      <Suspense fallback={fallback}>
        <Loaded {...props} />
      </Suspense>
    </PartBoundary>
  );
}

/** Loads the code of all parts, one after the other, so that they open even if the server is away by then. */
export async function prefetchParts(): Promise<void> {
  // A loaded part may add more of them.
  for (let part = parts.shift(); part; part = parts.shift()) await part.prefetch();
}
