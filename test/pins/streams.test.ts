import { beforeAll, describe, expect, it } from 'vitest';
import { changeEvent } from '../../packages/helmdeck/src/surfaces/rest/schemas/fact-schemas.ts';
import { memoryCaller } from './memory-caller.ts';

const { clock, call, json } = memoryCaller();

describe('NDJSON and events of memory', () => {
  beforeAll(async () => {
    const fact = {
      key: 'home/city',
      value: 'Milan',
      category: 'places',
      tags: ['home', 'it'],
      ttl_seconds: 3600,
    };
    await call('POST', '/store', fact);
    clock.advance(1000);
    await call('POST', '/store', { key: 'plain', value: 'x' });
  });

  it('GET /export and POST /import use the pinned lines', async () => {
    const answer = await call('GET', '/export');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const text = await answer.text();
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        key: 'home/city',
        value: 'Milan',
        category: 'places',
        tags: ['home', 'it'],
        created_at: '2026-01-01T12:00:00.250Z',
        expires_at: '2026-01-01T13:00:00Z',
        trust: 'model_inference',
        confirmed_at: '2026-01-01T12:00:00.250Z',
      },
      {
        key: 'plain',
        value: 'x',
        category: 'user_facts',
        tags: [],
        created_at: '2026-01-01T12:00:01.250Z',
        expires_at: '2026-04-01T12:00:01Z',
        trust: 'model_inference',
        confirmed_at: '2026-01-01T12:00:01.250Z',
      },
    ]);
    const lines = [
      ...text.trimEnd().split('\n').slice(0, 1),
      '{"key":"new","value":"y"}',
      '{"key":"home/city","value":"elsewhere"}',
      '{"key":"old","value":"y","expires_at":"2025-01-01T00:00:00Z"}',
      'no',
    ];
    const headers = { 'content-type': 'application/x-ndjson' };
    expect(await json('POST', '/import?dry_run=1', lines.join('\n'), headers)).toEqual({
      dry_run: true,
      stored: 2,
      replaced: 1,
      proposed: 0,
      unchanged: 1,
      skipped: 1,
      failed: 1,
      lines: [
        { line: 1, status: 'unchanged', key: 'home/city' },
        { line: 2, status: 'stored', key: 'new' },
        { line: 3, status: 'stored', key: 'home/city', replaces: true },
        { line: 4, status: 'skipped', key: 'old', reason: 'expired' },
        {
          line: 5,
          status: 'failed',
          error: {
            error: 'invalid_input',
            message: 'The line is not JSON.',
            reason: 'bad_type',
            hint: 'Correct the field the message names and send it again.',
          },
        },
      ],
    });
    expect((await call('GET', '/facts/new')).status, 'a dry run stores nothing').toBe(404);
  });

  it('POST /import takes a line as the whole fact: what it omits has the default, also over an existing fact', async () => {
    const line = '{"key":"home/city","value":"Rome"}';
    await call('POST', '/import', line, { 'content-type': 'application/x-ndjson' });
    expect(await json('GET', '/facts/home%2Fcity')).toMatchObject({
      value: 'Rome',
      category: 'user_facts',
      tags: [],
      expires_at: '2026-04-01T12:00:01Z',
    });
  });

  it('GET /events streams the pinned events', async () => {
    const stream = await call('GET', '/events');
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    await call('POST', '/store', { key: 'heard', value: 'x' });
    await call('DELETE', '/facts/heard');
    const reader = stream.body!.getReader();
    let text = '';
    while (!text.includes('event: forget'))
      text += Buffer.from((await reader.read()).value!).toString('utf8');
    await reader.cancel();
    const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, name, data]) => [
      name,
      JSON.parse(data!),
    ]);
    for (const [, event] of events) changeEvent.parse(event);
    expect(events).toEqual([
      ['store', { type: 'store', kind: 'fact', key: 'heard', version: 1, at: '2026-01-01T12:00:01.250Z' }],
      [
        'forget',
        { type: 'forget', key: 'heard', scope: 'fact:', deleted: 1, at: '2026-01-01T12:00:01.250Z' },
      ],
    ]);
  });
});
