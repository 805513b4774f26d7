import type { TestServer } from './test-server.ts';

export const PERSONS_SCOPES = ['memory:read', 'memory:write', 'memory:review', 'packs:run', 'pipelines:run'];

// biome-ignore lint/suspicious/noExplicitAny: the answers of any route
export type Json = Record<string, any>;

/** Requests to the memory of one caller, by a person and by an agent. */
export function memoryRequests(server: () => TestServer, subject: () => string) {
  async function send(
    claims: { scopes?: readonly string[]; client?: string },
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; json: Json; headers: Headers }> {
    const authorization = `Bearer ${await server().token(subject(), claims)}`;
    const answer = await server().call(undefined, method, `/api/v1/memory${path}`, body, {
      authorization,
      ...headers,
    });
    return { status: answer.status, json: (await answer.json()) as Json, headers: answer.headers };
  }

  const person = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    send({ scopes: PERSONS_SCOPES }, method, path, body, headers);
  const agent = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    send({ client: 'claude-code' }, method, path, body, headers);
  const propose = async (key: string, value: string, more: object = {}) =>
    (await agent('POST', '/store', { key, value, propose: true, ...more })).json;
  const inbox = async (query = '') => (await person('GET', `/inbox${query}`)).json;
  return { send, person, agent, propose, inbox };
}
