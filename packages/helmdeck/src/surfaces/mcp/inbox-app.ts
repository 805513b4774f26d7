import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Resource, TextResourceContents } from '@modelcontextprotocol/server';

// The inbox as an MCP App: a page that a host shows beside the conversation. It is the same for everybody and contains no
// data; what it shows comes from the results of the inbox tools, which the host passes on.

/** The extension that hosts and servers negotiate apps by. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
export const INBOX_APP_URI = 'ui://helmdeck/inbox';
const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** The page loads nothing and connects to nothing, whatever a host allows by default. */
const UI_META = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true };

export const INBOX_APP: Resource = {
  uri: INBOX_APP_URI,
  name: 'inbox-app',
  title: 'Inbox',
  description: 'The page that shows the inbox in clients that can show apps. Models use memory_inbox.',
  mimeType: APP_MIME_TYPE,
  _meta: { ui: UI_META },
};

let page: string | undefined;

export function readInboxApp(): TextResourceContents {
  page ??= inboxPage();
  return { uri: INBOX_APP_URI, mimeType: APP_MIME_TYPE, text: page, _meta: { ui: UI_META } };
}

/** One document with a policy of its own: hosts are not all strict. Only this script and this style may run. */
function inboxPage(): string {
  const [html, style, script] = ['page.html', 'app.css', 'app.js'].map(asset) as [string, string, string];
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return html
    .replace('{policy}', () => policy)
    .replace('<style>', () => `<style>${style}`)
    .replace('<script>', () => `<script>${script}`);
}

const asset = (name: string) =>
  readFileSync(new URL(`../../../assets/inbox-app/${name}`, import.meta.url), 'utf8');

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
