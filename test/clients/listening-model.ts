import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** In place of a model: notes what it is asked, and answers "ok" to everything. */
export interface ListeningModel {
  /** With `/v1`. */
  url: string;
  asked: string[];
  close(): Promise<void>;
}

export async function startListeningModel(): Promise<ListeningModel> {
  const asked: string[] = [];
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push(body);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const about = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'listening' };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    for (const chunk of [
      { ...about, choices: [{ index: 0, delta: { role: 'assistant', content: 'ok' }, finish_reason: null }] },
      { ...about, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
    ])
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    asked,
    async close() {
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
}
