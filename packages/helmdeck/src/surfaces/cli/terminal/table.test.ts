import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { byteSize, parseDuration, relativeTime } from './duration.ts';
import { createScreen } from './screen.ts';
import { printable, renderTable } from './table.ts';

const terminal = (columns?: number) => {
  const out = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
  return { in: new PassThrough(), out, err: new PassThrough() };
};
const plain = (text: string) => text.replaceAll(/\u001b\[\d+m/g, '');

describe('tables', () => {
  const columns = [{ title: 'KEY' }, { title: 'VALUE', flexible: true }];

  it('a table in a pipe is not cut and has one line per row', () => {
    const screen = createScreen(terminal(), false);
    expect(
      renderTable(screen, columns, [
        ['a', `${'x'.repeat(300)}\ny`],
        ['bbbb', 'z'],
      ]),
    ).toBe(`KEY   VALUE\na     ${'x'.repeat(300)} ⏎ y\nbbbb  z`);
  });

  it('a table fits the width of the terminal', () => {
    const text = plain(renderTable(createScreen(terminal(30), false), columns, [['key', 'v'.repeat(99)]]));
    expect(text).toBe(`KEY  VALUE\nkey  ${'v'.repeat(24)}…`);
  });

  it('a table with several columns fits a narrow terminal', () => {
    const titles = [
      { title: 'PACK' },
      { title: 'VERSION' },
      { title: 'YOU MAY' },
      { title: 'WHAT', flexible: true },
    ];
    const row = ['helmdeck.memory_history', 'v1', 'yes', 'The versions of a fact, newest first.'];
    for (const width of [24, 40, 60, 80]) {
      const lines = plain(renderTable(createScreen(terminal(width), false), titles, [row])).split('\n');
      expect(Math.max(...lines.map((line) => line.length)), lines.join('\n')).toBeLessThanOrEqual(width);
    }
  });

  it('a table replaces control characters of stored text', () => {
    expect(printable('a\u001b[2J\u0007\u009b\tb\n')).toBe('a␛[2J␇\u{fffd}\tb\n');
  });

  it('a table shows hidden characters of stored text as a count', () => {
    expect(printable('tea\u{e0069}\u{e0067}\u202e')).toBe('tea⟨3 hidden⟩');
  });
});

describe('times and sizes', () => {
  it('durations and counts are parsed', () => {
    expect(['3600', '90m', '12h', '90d', '2w'].map(parseDuration)).toEqual([
      3600, 5400, 43_200, 7_776_000, 1_209_600,
    ]);
    for (const bad of ['', 'd', '1y', '-1', '1.5h', '99999999999'])
      expect(() => parseDuration(bad)).toThrow();
  });

  it('times and sizes are formatted for people', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const said = (seconds: number) => relativeTime(new Date(now + seconds * 1000).toISOString(), now);
    expect([0, 1, -59, 3600, -7200, 172_800].map(said)).toEqual([
      'now',
      'in 1 second',
      '59 seconds ago',
      'in 60 minutes',
      '2 hours ago',
      'in 2 days',
    ]);
    expect([0, 999, 1000, 12_345, 5_000_000_000].map(byteSize)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '12 kB',
      '5.0 GB',
    ]);
  });
});
