import { describe, expect, it } from 'vitest';
import { valueForm } from '../editor/value-form.ts';
import { looksLikeMarkdown, parseInline, parseMarkdown } from './markdown.ts';

describe('the Markdown parser', () => {
  it('the Markdown parser reads paragraphs, lists, headings, quotes and code', () => {
    const blocks = parseMarkdown('# Title\none `two`\n\n- a\n- b\n1. c\n> q\n```sh\nls -l\n```\nend');
    expect(blocks.map(({ type }) => type)).toEqual([
      'heading',
      'paragraph',
      'list',
      'list',
      'quote',
      'code',
      'paragraph',
    ]);
    expect(blocks[5]).toEqual({ type: 'code', text: 'ls -l', language: 'sh' });
  });

  it('the Markdown parser keeps markup, images and scripts as text', () => {
    const value = '<img src=x onerror=alert(1)> **bold**';
    expect(parseInline(value)).toEqual([
      { type: 'text', text: '<img src=x onerror=alert(1)> ' },
      { type: 'strong', text: 'bold' },
    ]);
    expect(parseInline('![pixel](https://example.org/x.png)')).toEqual([
      { type: 'link', text: 'pixel', address: 'https://example.org/x.png' },
    ]);
  });

  it('the Markdown parser terminates on any input', () => {
    for (const text of ['```', '- ', '#', '>', '1.', '**', '`', '[](', '\n\n\n', '- a\n```\n- b'])
      expect(Array.isArray(parseMarkdown(text))).toBe(true);
  });

  it('the Markdown parser keeps all text of syntax it does not support', () => {
    const flat = parseMarkdown('a_b_c * d\n| t | u |').flatMap((block) =>
      block.type === 'paragraph' ? block.lines.map((line) => line.map(({ text }) => text).join('')) : [],
    );
    expect(flat).toEqual(['a_b_c * d', '| t | u |']);
  });
});

describe('tables in Markdown', () => {
  it('a table is read with its alignment, with or without pipes around it', () => {
    const [before, table, after] = parseMarkdown(
      'Steps:\n| step | s |\n|:--|--:|\n| `restore` | 12 |\n| a \\| b |\nend',
    );
    expect([before?.type, after?.type]).toEqual(['paragraph', 'paragraph']);
    expect(table).toEqual({
      type: 'table',
      head: [[{ type: 'text', text: 'step' }], [{ type: 'text', text: 's' }]],
      align: ['left', 'right'],
      rows: [
        [[{ type: 'code', text: 'restore' }], [{ type: 'text', text: '12' }]],
        [[{ type: 'text', text: 'a | b' }], []],
      ],
    });
    expect(parseMarkdown('a | b\n--- | ---')).toMatchObject([{ type: 'table', rows: [] }]);
    expect(valueForm('| a | b |\n|---|---|\n| 1 | 2 |').form).toBe('markdown');
  });

  it.each(['a | b\nc | d', 'a | b\n---', '---\n---', '| a |\n|---|---|'])(
    'pipes and dashes that are no table stay text: %j',
    (value) => expect(parseMarkdown(value).some(({ type }) => type === 'table')).toBe(false),
  );
});

describe('the form a value is shown in', () => {
  it.each([
    ['prefers vim', 'text'],
    ['42', 'text'],
    ['{"a":1}', 'json'],
    ['{not json}', 'text'],
    ['use `vim`', 'markdown'],
    ['- a\n- b', 'markdown'],
    ['#!/bin/sh\nls', 'code'],
    ['const a = 1;\nconst b = 2;', 'code'],
    ['A sentence; with a semicolon.\nAnd another.', 'text'],
  ])('the value %j is shown as %s', (value, form) => expect(valueForm(value).form).toBe(form));

  it('a plain sentence is not shown as Markdown', () => {
    expect(looksLikeMarkdown('No deploys from Friday 16:00 to Monday.')).toBe(false);
  });
});
