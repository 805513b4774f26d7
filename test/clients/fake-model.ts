import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A fake model API of OpenAI, Anthropic and Gemini: records the requests and responds "ok", or what the script says. */
export interface FakeModel {
  url: string;
  /** The bodies of requests, oldest first. */
  requests: string[];
  close(): Promise<void>;
}

/** What the model does in its turn: a call of a tool, or the end of its answer. Only for Gemini. */
export type Turn = { tool: string; input: Record<string, unknown> } | undefined;

/** Decides on a turn from the body of the request, which has the conversation so far. */
export type Script = (request: string) => Promise<Turn>;

type Respond = (response: ServerResponse, turn: Turn) => void;

/** The response format of each vendor, by the end of the path. */
const RESPONSES: readonly [RegExp, Respond][] = [
  [/\/chat\/completions$/, openAi],
  [/\/messages$/, anthropic],
  [/:streamGenerateContent$/, (response, turn) => stream(response, [gemini(turn)])],
  [/:generateContent$/, (response) => json(response, gemini(undefined))],
  [/:countTokens$/, (response) => json(response, { totalTokens: 1 })],
];

export async function startFakeModel(script: Script = async () => undefined): Promise<FakeModel> {
  const requests: string[] = [];
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push(body);
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    const respond = RESPONSES.find(([end]) => end.test(path))?.[1];
    if (respond) respond(response, /:streamGenerateContent$/.test(path) ? await script(body) : undefined);
    else json(response, {}, 404);
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    async close() {
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Sends server-sent events, named by their type if they have one. */
function stream(response: ServerResponse, events: readonly object[], end = ''): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const { type } = event as { type?: string };
    response.write(`${type ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(end);
}

function openAi(response: ServerResponse): void {
  const about = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'fake' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const events = [
    { ...about, choices: [{ index: 0, delta: { role: 'assistant', content: 'ok' }, finish_reason: null }] },
    { ...about, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ];
  stream(response, events, 'data: [DONE]\n\n');
}

function anthropic(response: ServerResponse): void {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'fake', content: [], usage };
  stream(response, [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]);
}

function gemini(turn: Turn): object {
  const part = turn ? { functionCall: { name: turn.tool, args: turn.input } } : { text: 'ok' };
  const content = { role: 'model', parts: [part] };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  return { candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata };
}
