import { useState } from 'react';
import { createPortal } from 'react-dom';
import type { Whose } from '../../api/fact-api.ts';
import type { Fact } from '../../api/generated/rest.ts';
import { saveFile } from '../../health/save-file.ts';
import { copyText } from '../../kit/copy-text.ts';
import { MenuButton, type MenuItem } from '../../kit/menu.tsx';
import { writeQuery } from '../../navigation/query-string.ts';
import { ShareDialog } from '../../spaces/share-dialog.tsx';
import { useWritableSpaces } from '../../spaces/space-queries.ts';
import { strings } from '../../strings.ts';
import { noticeWrite } from '../write-notice.ts';

const text = strings.detail;

interface FactMenuProps {
  fact: Fact;
  whose: Whose;
  raw: boolean;
  onRaw(): void;
  /** Undefined if the token may not store. */
  onDuplicate: (() => void) | undefined;
}

/** What can be done with the open fact besides renewing, editing and forgetting it. */
export function FactMenu({ fact, whose, raw, onRaw, onDuplicate }: FactMenuProps) {
  const [isSharing, setIsSharing] = useState(false);
  // Only one's own facts can be shared, by whoever may also copy them.
  const spaces = useWritableSpaces(onDuplicate !== undefined);
  const link = () => `${location.origin}/${writeQuery({ key: fact.key, ...whose })}`;
  const copy = async (what: string, said: string) =>
    noticeWrite({ text: (await copyText(what)) ? said : text.copyFailed });
  const items: MenuItem[] = [
    { label: text.copyLink, icon: 'link', act: () => void copy(link(), text.linkCopied) },
    { label: text.copyKey, icon: 'key', act: () => void copy(fact.key, text.keyCopied) },
    ...(onDuplicate ? [{ label: text.duplicate, icon: 'copy' as const, act: onDuplicate }] : []),
    ...(spaces.length > 0
      ? [{ label: strings.spaces.share, icon: 'layers' as const, act: () => setIsSharing(true) }]
      : []),
    { label: raw ? text.formatted : text.raw, icon: 'braces', act: onRaw },
    { label: text.exportOne, icon: 'down', act: () => exportOne(fact) },
  ];
  return (
    <>
      <MenuButton label={text.more} items={items} />
      {isSharing &&
        createPortal(
          <ShareDialog
            factKey={fact.key}
            spaces={spaces}
            onShared={(said) => noticeWrite({ text: said })}
            onClose={() => setIsSharing(false)}
          />,
          document.body,
        )}
    </>
  );
}

/** One line of an export, which an import takes back. */
function exportOne({ key, value, category, tags, created_at, expires_at, confirmed_at }: Fact): void {
  const line = JSON.stringify({ key, value, category, tags, created_at, expires_at, confirmed_at });
  const name = key.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80);
  saveFile(new Blob([`${line}\n`], { type: 'application/x-ndjson' }), `${name}.jsonl`);
}
