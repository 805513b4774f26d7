import { memo } from 'react';
import { visibleText } from '../../../../packages/helmdeck/src/memory/facts/hidden-characters.ts';
import { valueForm } from '../editor/value-form.ts';
import { type Block, type Inline, parseMarkdown } from './markdown.ts';

/** Renders a value as text nodes only: nothing in it can become markup, load a resource, be followed as a link or hide. */
export const FactValue = memo(function FactValue({ value: stored }: { value: string }) {
  const value = visibleText(stored);
  const shown = valueForm(value);
  if (shown.form === 'json') return <Code text={shown.text} />;
  if (shown.form === 'code') return <Code text={value} />;
  if (shown.form === 'text') return <p className="prose pre-wrap">{value}</p>;
  return (
    <div className="prose">
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
    <pre className="code" tabIndex={0}>
      {text}
    </pre>
  );
}

function BlockView({ block }: { block: Block }) {
  if (block.type === 'code') return <Code text={block.text} />;
  if (block.type === 'heading') {
    return (
      <p className="prose-heading" data-level={block.level}>
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
          <li key={index}>
            <InlineView parts={item} />
          </li>
        ))}
      </List>
    );
  }
  const Tag = block.type === 'quote' ? 'blockquote' : 'p';
  return (
    <Tag className="pre-line">
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

function InlineView({ parts }: { parts: Inline[] }) {
  return parts.map((part, index) => {
    const key = `${index} ${part.type}`;
    if (part.type === 'code') return <code key={key}>{part.text}</code>;
    if (part.type === 'strong') return <strong key={key}>{part.text}</strong>;
    if (part.type === 'em') return <em key={key}>{part.text}</em>;
    if (part.type !== 'link') return <span key={key}>{part.text}</span>;
    return (
      <span key={key}>
        {part.text} <span className="mono faint">({part.address})</span>
      </span>
    );
  });
}
