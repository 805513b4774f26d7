import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { QUESTION } from './hook-events.ts';
import { newTurns } from './transcript.ts';

const fileOf = (name: string, text: string) => {
  const file = join(mkdtempSync(join(tmpdir(), 'transcript-')), name);
  writeFileSync(file, text);
  return file;
};
const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

it('of Claude Code only what the person and the agent wrote is read, not tools, thoughts, side chains and additions', () => {
  const file = fileOf(
    'a.jsonl',
    lines(
      { type: 'summary', summary: 'x' },
      {
        type: 'user',
        timestamp: '2026-11-18T10:00:00Z',
        message: { role: 'user', content: 'Use pnpm here.' },
      },
      { type: 'user', isMeta: true, message: { role: 'user', content: 'meta' } },
      { type: 'user', message: { role: 'user', content: '<command-name>/clear</command-name>' } },
      {
        type: 'assistant',
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'Understood.' },
            { type: 'tool_use', name: 'Bash', input: { command: 'secret' } },
          ],
        },
      },
      { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: 'tool output' }] } },
      {
        type: 'user',
        isCompactSummary: true,
        message: { role: 'user', content: 'This session is being continued … We always use npm.' },
      },
      { type: 'assistant', isSidechain: true, message: { role: 'assistant', content: 'side' } },
    ),
  );
  expect(newTurns(file, 0).turns).toEqual([
    { role: 'user', text: 'Use pnpm here.', at: '2026-11-18T10:00:00Z' },
    { role: 'assistant', text: 'Understood.' },
  ]);
});

it('of Gemini CLI the words of the user are read, not the notes before them and not the question of our own hook', () => {
  const notes = '<hook_context>Notes from Helmdeck\n- always use npm</hook_context>\n\n';
  const said = (text: string) => ({ type: 'user', content: [{ text }] });
  const file = fileOf('a.jsonl', lines(said(`${notes}Use pnpm here.`), said(QUESTION), said(notes)));
  expect(newTurns(file, 0).turns).toEqual([{ role: 'user', text: 'Use pnpm here.' }]);
});

it('of Codex the messages are read, without instructions in the name of the user', () => {
  const message = (role: string, type: string, text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text }] },
  });
  const file = fileOf(
    'rollout.jsonl',
    lines(
      { type: 'session_meta', payload: { id: 'x' } },
      message('user', 'input_text', '<environment_context>…</environment_context>'),
      message('user', 'input_text', 'We deploy on Fridays.'),
      { type: 'response_item', payload: { type: 'function_call_output', output: 'tool output' } },
      { type: 'response_item', payload: { type: 'reasoning', content: [{ type: 'text', text: 'hm' }] } },
      message('developer', 'input_text', 'rules'),
      message('assistant', 'output_text', 'Noted.'),
    ),
  );
  expect(newTurns(file, 0).turns.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: We deploy on Fridays.',
    'assistant: Noted.',
  ]);
});

it('a file of lines is read on from its last whole line, in bytes, and from the start if it became shorter', () => {
  const first = lines({ type: 'user', message: { role: 'user', content: 'Grüße 👋' } });
  const second = lines({ type: 'user', message: { role: 'user', content: 'two' } });
  const file = fileOf('a.jsonl', first + second.slice(0, 20));
  const { turns, offset } = newTurns(file, 0);
  expect(turns.map(({ text }) => text)).toEqual(['Grüße 👋']);
  expect(offset).toBe(Buffer.byteLength(first));
  appendFileSync(file, second.slice(20));
  const next = newTurns(file, offset);
  expect(next.turns.map(({ text }) => text)).toEqual(['two']);
  expect(newTurns(file, next.offset)).toEqual({ turns: [], offset: next.offset });
  writeFileSync(file, second);
  expect(newTurns(file, next.offset).turns.map(({ text }) => text)).toEqual(['two']);
});

it('a transcript that is one JSON document is read on from its last message', () => {
  const messages = [
    { type: 'user', content: 'Call me Kim.' },
    { type: 'gemini', content: 'Hello Kim.' },
    { type: 'info', content: 'Update available' },
  ];
  const file = fileOf('session.json', JSON.stringify({ sessionId: 's', messages }));
  const { turns, offset } = newTurns(file, 0);
  expect(turns).toEqual([
    { role: 'user', text: 'Call me Kim.' },
    { role: 'assistant', text: 'Hello Kim.' },
  ]);
  const more = [...messages, { type: 'user', content: [{ text: 'And one more.' }] }];
  writeFileSync(file, JSON.stringify({ sessionId: 's', messages: more }));
  expect(newTurns(file, offset).turns).toEqual([{ role: 'user', text: 'And one more.' }]);
});

it('broken lines and unknown records are skipped', () => {
  const file = fileOf(
    'a.jsonl',
    'no json\n[]\nnull\n{"type":"user"}\n{"message":{"role":"user","content":7}}\n',
  );
  expect(newTurns(file, 0).turns).toEqual([]);
});
