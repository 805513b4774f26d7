import { expect } from 'vitest';
import { errorCodesOf } from '../../packages/helmdeck/src/surfaces/rest/openapi/route-errors.ts';
import type { Route } from '../../packages/helmdeck/src/surfaces/rest/route.ts';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';

const PATTERNS = ROUTES.map((route) => {
  const pattern = route.path
    .replaceAll('.', '\\.')
    .replace('{key}', '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+');
  return { route, pattern: new RegExp(`^${pattern}$`) };
});

/** The routes that a request may be for: a key may end in `/history`. */
function routesOf(method: string, path: string): Route[] {
  const { pathname } = new URL(path, 'http://localhost');
  const matching = PATTERNS.filter(({ pattern }) => pattern.test(pathname)).map(({ route }) => route);
  return matching.filter((route) => route.method === method);
}

/** Fails if a response is an error that the OpenAPI document does not list for its operation. */
export async function assertDocumentedError(method: string, path: string, response: Response): Promise<void> {
  const routes = routesOf(method, path);
  if (response.status < 400 || routes.length === 0) return;
  const { error, message } = (await response.clone().json()) as { error?: string; message?: string };
  if (message === 'There is nothing at this address.') return; // no route took it, such as for a key with a line break
  const documented = routes.flatMap((route) => errorCodesOf(route));
  expect(documented, `the errors of ${method} ${routes[0]!.path}`).toContain(error);
}
