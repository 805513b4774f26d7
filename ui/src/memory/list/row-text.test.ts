import { describe, expect, it } from 'vitest';
import { rowText, withoutMarks } from './row-text.ts';

describe('the text of a row', () => {
  it('Markdown is shown without its marks', () => {
    const value =
      '## Deploys\n\n- Use `kubectl` **only** in\n- [the guide](https://example.org/a)\n\n```sh\nhelm up\n```\n> quoted';
    expect(rowText(value)).toBe('Deploys Use kubectl only in the guide helm up quoted');
    expect(rowText('2 * 3 = 6, a_b, snake__case, 5 - 3 and [1] (two)')).toBe(
      '2 * 3 = 6, a_b, snake__case, 5 - 3 and [1] (two)',
    );
  });

  it('JSON is shown by its first keys', () => {
    const value = JSON.stringify({ host: 'db-1', port: 5432, tls: { on: true }, tags: ['a'], none: null });
    expect(rowText(value)).toBe('host: db-1, port: 5432, tls: {…}, tags: […], none: null');
    expect(rowText('[1, "two", {}]')).toBe('1, two, {…}');
    expect(rowText(JSON.stringify({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 }))).toMatch(/f: 6, …$/);
    expect(rowText('{ not json')).toBe('{ not json');
  });

  it('highlights stay on their words when marks are removed', () => {
    const text = '- Use `kubectl` for **deploys**';
    const [from, to] = [text.indexOf('kubectl'), text.indexOf('deploys')];
    const shown = withoutMarks(text, [
      [from, from + 7],
      [to, to + 7],
    ]);
    expect(shown.text).toBe('Use kubectl for deploys');
    expect(shown.highlights.map(([start, end]) => shown.text.slice(start, end))).toEqual([
      'kubectl',
      'deploys',
    ]);
  });
});
