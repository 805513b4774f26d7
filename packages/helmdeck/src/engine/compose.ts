import type { Interceptor, Next } from './run.ts';

/** Wraps interceptors around the last handler, the first one outermost. Done once, so that a run costs nothing extra. */
export function compose(interceptors: readonly Interceptor[], last: Next): Next {
  return interceptors.reduceRight<Next>((next, interceptor) => (run) => interceptor(run, next), last);
}
