import type { Interceptor, Next } from './run.ts';

/** Puts layers around the last link, the first one outermost. Done once, so that a run costs nothing extra. */
export function compose(interceptors: readonly Interceptor[], last: Next): Next {
  return interceptors.reduceRight<Next>((next, interceptor) => (run) => interceptor(run, next), last);
}
