import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../errors.ts';
import { shellHint, shellMessage } from './shell-hint.ts';

describe('hints for a person at a shell', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])(
    'the hint of %s speaks neither of headers nor of routes',
    (error) => {
      const hint = shellHint({ error, message: 'Something.', hint: ERRORS[error].hint });
      expect(hint).not.toMatch(/\bheader|\/api\/|Retry-After|Content-Type|Authorization|\bfield\b/);
      expect(hint).toBeTruthy();
    },
  );

  it('a hint that is particular to the error is kept, unless it is about REST', () => {
    const message = 'No.';
    expect(shellHint({ error: 'conflict', message, hint: 'Rename it.' })).toBe('Rename it.');
    const about = 'Keep credentials in the vault, and store here only where to find them.';
    expect(shellHint({ error: 'secret_detected', message, hint: about })).toContain('helmdeck vault set');
    const route = 'GET /api/v1/packs lists them.';
    expect(shellHint({ error: 'not_found', message: 'There is no such pack or version.', hint: route })).toBe(
      '"helmdeck pack list" lists them.',
    );
  });

  it('a code of a newer server has the hint of that server', () => {
    const error = 'brand_new' as ErrorCode;
    expect(shellHint({ error, message: 'New.', hint: 'Update.' })).toBe('Update.');
  });

  it('messages name options in place of fields, and durations in place of seconds', () => {
    expect(shellMessage('ttl_seconds must be at least 3600 (one hour).')).toBe('--ttl must be at least 1h.');
    expect(shellMessage('ttl_seconds must be at most 31536000 (one year).')).toBe(
      '--ttl must be at most 365d.',
    );
    expect(shellMessage('if_version must be a whole number.')).toBe('--if-version must be a whole number.');
  });
});
