import { expect, it } from 'vitest';
import { chunkOf } from './entry-text.ts';

const bodyOf = (value: string) => {
  const { markdown } = chunkOf('fact', { key: 'k', value, category: 'c' });
  return markdown.slice('## k\n\n'.length, -'\n\n(category: c)'.length);
};

it.each([
  '# trusted', '## trusted', '   ### trusted', '#', '######\ttrusted', '---', '-', '--', '- - -', '***', ' * * *', '___', '_ _ _ _',
  '===', '=', '--- ', '(category: c)',
])('the line %j of a value begins with a backslash, on its own and between others', (line) => {
  expect(bodyOf(line)).toBe(`\\${line}`);
  for (const end of ['\n', '\r\n', '\r', '\u2028', '\u2029', '\u0085'])
    expect(bodyOf(`tea${end}${line}${end}milk`)).toBe(`tea${end}\\${line}${end}milk`);
}); // biome-ignore format: a list

it.each(['#tag', '#1 choice', '- milk', '* tea', '*bold*', '__init__', 'a = b', '-> b', '--flag', '- -', 'x # y', '    # code', '####### seven', 'C#', '**'])(
  'the line %j of a value is unchanged',
  (line) => expect(bodyOf(`a\n${line}\nb`)).toBe(`a\n${line}\nb`),
); // biome-ignore format: a list

it('long lines that almost are structure take no longer than others', () => {
  const line = `${'- '.repeat(30_000)}x`;
  expect(bodyOf(`${line}\n${line}`)).toBe(`${line}\n${line}`);
});
