import { memo } from 'react';
import { visibleText } from '../../../../packages/helmdeck/src/memory/facts/hidden-characters.ts';
import { valueForm } from '../editor/value-form.ts';
import { LinkText } from './link-text.tsx';
import { type Block, type Inline, parseMarkdown } from './markdown.ts';

interface FactValueProps {
  value: string;
  /** As it is stored, not formatted. */
  raw?: boolean;
}

/** Renders a value as text nodes only: nothing in it can become markup, load a resource or hide. */
export const FactValue = memo(function FactValue({ value: stored, raw = false }: FactValueProps) {
  const value = visibleText(stored);
  if (raw) return <Code text={value} />;
  const shown = valueForm(value);
  if (shown.form === 'json') return <Code text={shown.text} />;
  if (shown.form === 'code') return <Code text={value} />;
  if (shown.form === 'text') {
    return (
      <p className="prose pre-wrap" dir="auto">
        {value}
      </p>
    );
  }
  return (
    <div className="prose" dir="auto">
      {parseMarkdown(value).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no key of their own and never move
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
});

function Code({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard
    <pre className="code" dir="auto" tabIndex={0}>
      {text}
    </pre>
  );
}

function BlockView({ block }: { block: Block }) {
  if (block.type === 'code') return <Code text={block.text} />;
  if (block.type === 'heading') {
    return (
      <p className="prose-heading" dir="auto" data-level={block.level}>
        <InlineView parts={block.inline} />
      </p>
    );
  }
  if (block.type === 'list') {
    const List = block.ordered ? 'ol' : 'ul';
    return (
      <List>
        {block.items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no key of their own and never move
          <li key={index} dir="auto">
            <InlineView parts={item} />
          </li>
        ))}
      </List>
    );
  }
  if (block.type === 'table') return <TableView table={block} />;
  const Tag = block.type === 'quote' ? 'blockquote' : 'p';
  return (
    <Tag className="pre-line" dir="auto">
      {block.lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no key of their own and never move
        <span key={index}>
          {index > 0 && '\n'}
          <InlineView parts={line} />
        </span>
      ))}
    </Tag>
  );
}

function TableView({ table: { head, align, rows } }: { table: Extract<Block, { type: 'table' }> }) {
  const cell = (Tag: 'th' | 'td') => (parts: Inline[], index: number) => (
    <Tag key={index} data-align={align[index]} dir="auto">
      <InlineView parts={parts} />
    </Tag>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also by keyboard
    <div className="prose-table" tabIndex={0}>
      <table>
        <thead>
          <tr>{head.map(cell('th'))}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no key of their own and never move
            <tr key={index}>{row.map(cell('td'))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function InlineView({ parts }: { parts: Inline[] }) {
  return parts.map((part, index) => {
    const key = `${index} ${part.type}`;
    if (part.type === 'code') return <code key={key}>{part.text}</code>;
    if (part.type === 'strong') return <strong key={key}>{part.text}</strong>;
    if (part.type === 'em') return <em key={key}>{part.text}</em>;
    if (part.type !== 'link') return <span key={key}>{part.text}</span>;
    return <LinkText key={key} text={part.text} address={part.address} />;
  });
}
