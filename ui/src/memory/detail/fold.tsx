import { type ReactNode, useEffect, useRef, useState } from 'react';
import { strings } from '../../strings.ts';

/** About twenty lines, as `.fold` in fact.css. */
const FOLD_PX = 440;
/** A little more than that is shown whole: folding it would hide less than the button takes. */
const SLACK_PX = 88;

/** Folds content that is longer than about twenty lines, so that what follows it stays in reach. */
export function Fold({ children }: { children: ReactNode }) {
  const [tall, setTall] = useState(false);
  const [open, setOpen] = useState(false);
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = content.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setTall(element.scrollHeight > FOLD_PX + SLACK_PX));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const folded = tall && !open;
  return (
    <div className="stack gap-2">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a focused element in the folded part must be visible */}
      <div className={folded ? 'fold' : undefined} onFocus={() => setOpen(true)}>
        <div ref={content}>{children}</div>
      </div>
      {tall && (
        <button
          type="button"
          className="link small justify-self-start"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? strings.detail.showLess : strings.detail.showAll}
        </button>
      )}
    </div>
  );
}
