import { METHOD_NAME_ALL, type Router } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { TrieRouter } from 'hono/router/trie-router';

/**
 * Hono's RegExpRouter for most paths, its TrieRouter for the rest. A single ambiguous path (`/runs/:run` beside
 * `/:pipeline/runs`) or a second match for a path would put every route on a slow path.
 */
export function createRouter<T>(): Router<T> {
  const fast = new RegExpRouter<T>();
  const general = new TrieRouter<T>();
  return {
    name: 'RegExpRouter, TrieRouter',
    add(method, path, handler) {
      const isAmbiguous = /:(?!key\b)/.test(path) || (method === 'POST' && path.includes(':key')); // beside `/bulk`
      const isGeneral = method === METHOD_NAME_ALL || isAmbiguous;
      (isGeneral ? general : fast).add(method, path, handler);
    },
    match(method, path) {
      const found = fast.match(method, path);
      return found[0].length > 0 ? found : general.match(method, path);
    },
  };
}

/** `/a/{name}` as Hono writes it. `{key}` takes the rest of the path, slashes and line breaks included; other parameters one segment. */
export function honoPattern(path: string): string {
  return path.replace(/\{key\}.*$/, ':key{[^]+}').replaceAll(/\{(\w+)\}/g, ':$1');
}

/**
 * Tells `…/{key}/history` from `…/{key}` by the literal suffix: a slash inside a key is percent-encoded. `undefined` if
 * none of the routes has the suffix.
 */
export function routePicker<R extends { path: string }>(
  candidates: readonly R[],
): (url: string) => R | undefined {
  const [first] = candidates;
  if (candidates.length === 1 && !first!.path.includes('{key}/')) return () => first;
  const bySuffix = candidates.map((route) => {
    const [base = '', suffix = ''] = route.path.split('{key}');
    return { route, suffix, minChars: base.length + suffix.length };
  });
  return (url) => {
    const path = rawPath(url);
    // The key `history` alone is a key, not a suffix.
    return bySuffix.find(({ suffix, minChars }) => path.endsWith(suffix) && path.length > minChars)?.route;
  };
}

/**
 * Whether a path has a `.` or `..` segment, percent-encoded or not. The URL parser resolves those, so the route would be
 * another one than a proxy in front sees in the path. A key with `..` between encoded slashes is one segment.
 */
export function hasDotSegment(url: string): boolean {
  // Fast path: most addresses have neither a dot nor an encoded one.
  if (!/\.|%2e/i.test(url)) return false;
  const [path = ''] = url.split(/[?#]/, 1);
  return path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

/** The path as it was sent: Hono decodes parts of it, which would lose the encoded slashes of a key. */
export function rawPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.search(/[?#]/);
  return url.slice(start, end < 0 ? undefined : end);
}
