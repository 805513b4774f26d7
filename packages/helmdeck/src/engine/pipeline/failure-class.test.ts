import { expect, it } from 'vitest';
import { failureClass } from './failure-class.ts';

it.each([
  ['handler_failed', 'network', 'transient'],
  ['handler_failed', 'github_down', 'transient'],
  ['handler_failed', 'gateway_down', 'transient'],
  ['handler_failed', 'unexpected', 'pack_bug'],
  ['invalid_output', undefined, 'pack_bug'],
  ['timeout', 'deadline', 'transient'],
  ['rate_limited', undefined, 'transient'],
  ['memory_unavailable', undefined, 'transient'],
  ['credential_invalid', undefined, 'caller_fixable'],
  ['quota_exceeded', undefined, 'caller_fixable'],
  ['precondition_failed', undefined, 'state_changed'],
] as const)('a failure with %s (%s) is classified as %s', (code, reason, expected) => {
  expect(failureClass({ code, reason })).toBe(expected);
});
