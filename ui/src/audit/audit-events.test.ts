import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../api/generated/rest.ts';
import { foldReads, wordsOf } from './audit-events.ts';

let n = 1000;
/** Newest first, as the server lists them: each record is older than the one before. */
const record = (minute: number, rest: Partial<AuditRecord> = {}): AuditRecord => ({
  n: n--,
  at: new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString(),
  action: 'read',
  actor: 'admin',
  target: 'alice',
  prev: '',
  hash: '',
  ...rest,
});
const sentences = (records: AuditRecord[]) =>
  foldReads(records).map((event) => Object.values(wordsOf(event)).join(' '));

describe('the access audit in words', () => {
  it('reads of one memory by one admin with short pauses are one look', () => {
    expect(sentences([record(9), record(8), record(4)])).toEqual([
      'admin looked at alice’s memory (3 reads)',
    ]);
  });

  it('a long pause, another admin, another memory or another action begins a new event', () => {
    const records = [
      record(50),
      record(30),
      record(29, { actor: 'root' }),
      record(28, { actor: 'root', target: 'bob' }),
      record(27, { actor: 'root', target: 'bob', action: 'forget', detail: 'key: 1 deleted' }),
      record(26, { actor: 'root', target: 'bob' }),
    ];
    expect(sentences(records)).toEqual([
      'admin looked at alice’s memory',
      'admin looked at alice’s memory',
      'root looked at alice’s memory',
      'root looked at bob’s memory',
      'root forgot 1 entry of bob',
      'root looked at bob’s memory',
    ]);
  });

  it.each([
    [{ action: 'forget', target: 'admin', detail: 'all 12 deleted' }, 'admin forgot 12 entries'],
    [{ action: 'erase', detail: 'receipt x' }, 'admin erased the memory of alice'],
    [{ action: 'erase', target: 'admin', detail: 'receipt x' }, 'admin erased their own memory'],
    [{ action: 'login', target: undefined, detail: 'jti x' }, 'admin signed in'],
    [
      { action: 'login.failed', actor: 'anonymous', target: undefined },
      'A sign-in with a wrong name or password was refused',
    ],
    [{ action: 'token.mint', detail: 'jti x scopes memory:read' }, 'admin made a token for alice'],
    [{ action: 'token.revoke', detail: 'jti x' }, 'admin revoked a token of alice'],
    [{ action: 'token.revoke', detail: 'jti x and 2 minted with it' }, 'admin revoked 3 tokens of alice'],
    [
      { action: 'token.revoke', detail: 'issued until 2026-01-01T00:00:00.000Z 4 revoked' },
      'admin revoked 4 tokens of alice',
    ],
    [{ target: 'space platform' }, 'admin looked at the space platform'],
    [{ action: 'space.list', target: undefined }, 'admin listed all spaces'],
    [
      { action: 'login.failed', target: undefined, detail: 'identity provider: not_allowed' },
      'admin was refused after the sign-in with the identity provider',
    ],
    [
      { action: 'application.allow', target: undefined, detail: 'application Claude, sent to claude.ai' },
      'admin allowed the application Claude, sent to claude.ai',
    ],
    [
      { action: 'application.connect', target: undefined, detail: 'jti x scopes memory:read' },
      'admin connected an application that they had allowed',
    ],
    [
      { action: 'application.disconnect', target: undefined, detail: 'jti x' },
      'admin disconnected an application',
    ],
    [
      {
        action: 'application.disconnect',
        target: undefined,
        detail: 'jti x, because a refresh token was used twice',
      },
      'admin had an application disconnected by the server, because a refresh token was used twice',
    ],
    [
      { action: 'inbox.decide', target: 'space platform', detail: '2 accepted 1 rejected' },
      'admin decided on proposals of the space platform: 2 accepted, 1 rejected',
    ],
  ] satisfies [Partial<AuditRecord>, string][])('%o is “%s”', (rest, sentence) => {
    expect(sentences([record(0, rest)])).toEqual([sentence]);
  });
});
