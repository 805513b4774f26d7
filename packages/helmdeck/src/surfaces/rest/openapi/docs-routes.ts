import { readFileSync } from 'node:fs';
import { CONTENT_SECURITY_POLICY } from '../../content-security-policy.ts';
import type { Route, UndocumentedRoute } from '../route.ts';
import { openApiDocument } from './document.ts';

/** Serves the OpenAPI document of the given routes, and the page that renders it and can send requests. */
export function docsRoutes(routes: readonly Route[]): UndocumentedRoute[] {
  let document: object | undefined;
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      scope: 'public',
      async handler(call) {
        document ??= openApiDocument(routes, call.services.version);
        return document;
      },
    },
    fileRoute('/docs', 'text/html', 'index.html'),
    fileRoute('/docs/docs.js', 'text/javascript', 'docs.js'),
    fileRoute('/docs/docs.css', 'text/css', 'docs.css'),
  ];
}

function fileRoute(path: string, type: string, file: string): UndocumentedRoute {
  let text: string | undefined;
  return {
    method: 'GET',
    path,
    scope: 'public',
    async handler(call) {
      text ??= readFileSync(new URL(`../../../../assets/docs/${file}`, import.meta.url), 'utf8');
      const headers = {
        ...call.headers,
        'content-type': `${type}; charset=utf-8`,
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
      };
      return new Response(text, { headers });
    },
  };
}
