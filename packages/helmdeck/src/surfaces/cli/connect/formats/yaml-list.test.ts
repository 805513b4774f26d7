import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readItem, removeItem, setItem } from './yaml-list.ts';

const ITEM = ['name: helmdeck', 'type: streamable-http', 'url: "http://127.0.0.1:3000/x"'];
const set = (text: string) => setItem(text, 'mcpServers', 'helmdeck', ITEM);
const remove = (text: string, original: string) => removeItem(text, 'mcpServers', 'helmdeck', original);
const OURS = { name: 'helmdeck', type: 'streamable-http', url: 'http://127.0.0.1:3000/x' };

const STARTS: Record<string, string> = {
  'no list': 'name: mine\nmodels:\n  - name: m\n    provider: openai\n',
  'no final newline': 'name: mine',
  'an empty list': 'name: mine\nmcpServers: []\nversion: 1\n',
  'a list without items': 'name: mine\nmcpServers: # none yet\nversion: 1\n',
  'another server':
    'mcpServers:\n  - name: other\n    command: x\n    args:\n      - -y\n\n# the models\nmodels: []\n',
  'items that are not indented': 'mcpServers:\n- name: other\n  command: x\nmodels: []\n',
  'items indented by four': 'mcpServers:\n    - command: x\n      name: "other"\n',
  'CRLF line ends': 'name: mine\r\nmcpServers:\r\n  - name: other\r\n    command: x\r\nversion: 1\r\n',
};

describe('a list in a YAML file', () => {
  it.each(Object.entries(STARTS))('%s: an item is added, read and removed again', (_, start) => {
    const before = parse(start) as { mcpServers?: object[] | null };
    const added = set(start);
    expect(parse(added)).toEqual({ ...before, mcpServers: [...(before.mcpServers ?? []), OURS] });
    expect(readItem(added, 'mcpServers', 'helmdeck')?.join('\n')).toContain('streamable-http');
    expect(set(added)).toBe(added);
    expect(remove(added, start).trim()).toBe(start.trim());
  });

  it('an item with the same name is replaced, and one without keeps its comments', () => {
    const start = 'mcpServers:\n  # mine\n  - name: helmdeck # old\n    url: old\n  - name: other\n';
    expect(parse(set(start))).toEqual({ mcpServers: [OURS, { name: 'other' }] });
    expect(set(start)).toContain('# mine');
    expect(remove(start, '')).toBe('mcpServers:\n  # mine\n  - name: other\n');
  });

  it.each([
    'mcpServers: [{ name: x }]\n',
    'mcpServers: { a: 1 }\n',
    'mcpServers:\n  a: 1\n',
    'mcpServers: *x\n',
  ])('refuses %j instead of guessing', (text) => expect(() => set(text)).toThrow(TypeError));

  it('does not take a nested name or the name of another list for the item', () => {
    const text =
      'models:\n  - name: helmdeck\nmcpServers:\n  - name: other\n    env:\n      x:\n        name: helmdeck\n';
    expect(readItem(text, 'mcpServers', 'helmdeck')).toBeUndefined();
  });
});
