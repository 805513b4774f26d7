import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A fake model API of OpenAI, Anthropic and Gemini: records the requests and responds "ok", or what the script says. */
export interface FakeModel {
  url: string;
  /** The bodies of requests, oldest first. */
  requests: string[];
  close(): Promise<void>;
}

/** What the model does in its turn: a call of a tool, or the end of its answer. */
export type Turn = { tool: string; input: Record<string, unknown>; namespace?: string } | undefined;

/** Decides on a turn from the body of the request, which has the conversation so far. */
export type Script = (request: string) => Promise<Turn>;

type Respond = (response: ServerResponse, turn: Turn, body: string) => void;

/** The response format of each vendor, by the end of the path. */
const RESPONSES: readonly [RegExp, Respond][] = [
  [/\/chat\/completions$/, openAi],
  [/\/responses$/, openAiResponses],
  [/\/messages$/, anthropic],
  [/\/models$/, (response) => json(response, { object: 'list', data: [{ id: 'fake', object: 'model' }] })],
  [/:streamGenerateContent$/, (response, turn) => stream(response, [gemini(turn)])],
  [/:generateContent$/, (response) => json(response, gemini(undefined))],
  [/:countTokens$/, (response) => json(response, { totalTokens: 1 })],
];
/** Requests that belong to a conversation. */
const TURN = /\/chat\/completions$|\/responses$|\/messages$|:streamGenerateContent$/;

export async function startFakeModel(script: Script = async () => undefined): Promise<FakeModel> {
  const requests: string[] = [];
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push(body);
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    const respond = RESPONSES.find(([end]) => end.test(path))?.[1];
    if (respond) respond(response, TURN.test(path) ? await script(body) : undefined, body);
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

function openAi(response: ServerResponse, turn: Turn, body: string): void {
  const about = { id: '1', created: 1, model: 'fake' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const call = turn && {
    id: callId(),
    type: 'function',
    function: { name: turn.tool, arguments: JSON.stringify(turn.input) },
  };
  const finish_reason = call ? 'tool_calls' : 'stop';
  if (!/"stream":\s*true/.test(body)) {
    const message = {
      role: 'assistant',
      ...(call ? { content: null, tool_calls: [call] } : { content: 'ok' }),
    };
    const choices = [{ index: 0, message, finish_reason }];
    json(response, { ...about, object: 'chat.completion', choices, usage });
    return;
  }
  const object = 'chat.completion.chunk';
  const delta = call
    ? { role: 'assistant', tool_calls: [{ index: 0, ...call }] }
    : { role: 'assistant', content: 'ok' };
  const events = [
    { ...about, object, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...about, object, choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ];
  stream(response, events, 'data: [DONE]\n\n');
}

function openAiResponses(response: ServerResponse, turn: Turn): void {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const item = turn
    ? {
        type: 'function_call',
        id: `fc_${callId()}`,
        call_id: callId(),
        name: turn.tool,
        ...(turn.namespace ? { namespace: turn.namespace } : {}),
        arguments: JSON.stringify(turn.input),
      }
    : { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };
  stream(response, [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', output: [item], usage } },
  ]);
}

function anthropic(response: ServerResponse, turn: Turn): void {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'fake', content: [], usage };
  const block = turn
    ? { type: 'tool_use', id: `toolu_${callId()}`, name: turn.tool, input: {} }
    : { type: 'text', text: '' };
  const delta = turn
    ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) }
    : { type: 'text_delta', text: 'ok' };
  const stop_reason = turn ? 'tool_use' : 'end_turn';
  stream(response, [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]);
}

let calls = 0;
const callId = () => `call_${++calls}`;

function gemini(turn: Turn): object {
  const part = turn ? { functionCall: { name: turn.tool, args: turn.input } } : { text: 'ok' };
  const content = { role: 'model', parts: [part] };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  return { candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata };
}
