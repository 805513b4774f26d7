import { useState } from 'react';
import { createPortal } from 'react-dom';
import { copyText } from '../../kit/copy-text.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { strings } from '../../strings.ts';
import { noticeWrite } from '../write-notice.ts';

const text = strings.link;

interface LinkTextProps {
  text: string;
  address: string;
}

/**
 * A link in a fact. Facts are written by agents, so it is not followed at once: a click shows the whole address first.
 * It opens without a referrer and without access to this page.
 */
export function LinkText({ text: label, address }: LinkTextProps) {
  const [open, setOpen] = useState(false);
  const target = webAddress(address);
  const copy = async () => {
    setOpen(false);
    noticeWrite({ text: (await copyText(address)) ? text.copied : strings.detail.copyFailed });
  };
  return (
    <>
      <button type="button" className="link" title={address} onClick={() => setOpen(true)}>
        {label || address}
      </button>
      {open &&
        createPortal(
          <Dialog label={text.title} className="dialog" onClose={() => setOpen(false)}>
            <h2>{text.title}</h2>
            <p className="muted">{target ? text.lead : text.notWeb}</p>
            <p className="mono link-address">{address}</p>
            <div className="row wrap mt-2">
              <span className="grow" />
              <button type="button" className="btn" onClick={() => void copy()}>
                {text.copy}
              </button>
              {target && (
                <a
                  className="btn btn-primary"
                  href={target}
                  target="_blank"
                  rel="noopener noreferrer"
                  referrerPolicy="no-referrer"
                  onClick={() => setOpen(false)}
                >
                  {text.open}
                </a>
              )}
            </div>
          </Dialog>,
          document.body,
        )}
    </>
  );
}

/** The address if a browser may open it: never a script, a file or another app. */
function webAddress(address: string): string | undefined {
  const url = URL.parse(address);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
