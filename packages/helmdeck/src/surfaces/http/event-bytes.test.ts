import { expect, it } from 'vitest';
import { createEventRelay } from './event-bytes.ts';

it('a response that is not an event stream is passed on unread', () => {
  const response = new Response('{}', { headers: { 'content-type': 'application/json' } });
  Object.defineProperty(response, 'body', { get: () => expect.fail('the body was read') });
  expect(createEventRelay()({ subject: 'ada' }, response, undefined)).toBe(response);
});
