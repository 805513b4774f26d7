import { useState } from 'react';
import type { Token } from '../api/token-api.ts';
import { announce } from '../frame/announcer.tsx';
import { Icon } from '../frame/icon.tsx';
import { strings } from '../strings.ts';
import { useTokens } from './token-queries.ts';

const text = strings.connect;

/** Masked on the screen, copied in full; the light comes on with the client's first call. */
export function MintedToken({ minted, onAgain }: { minted: Token & { token: string }; onAgain(): void }) {
  const tokens = useTokens(true).data?.tokens ?? [];
  const connected = tokens.find(({ jti }) => jti === minted.jti)?.last_used_at != null;
  const line = (token: string) =>
    `curl -sS ${location.origin}/api/v1/memory/facts -H 'Authorization: Bearer ${token}'`;
  const masked = `${minted.token.slice(0, 6)}…${minted.token.slice(-4)}`;
  return (
    <div className="stack gap-4">
      <div className="stack gap-2">
        <p className="muted">{text.made}</p>
        <Snippet label={text.copy} shown={masked} copied={minted.token} />
      </div>
      <div className="stack gap-2">
        <p className="muted">{text.tryIt}</p>
        <Snippet label={text.copyLine} shown={line(masked)} copied={line(minted.token)} />
      </div>
      <div className="row">
        <span className={`dot ${connected ? 'dot-ok' : 'dot-live'}`} />
        <span role="status">{connected ? text.connected : text.waiting}</span>
        <span className="grow" />
        <button type="button" className="btn btn-s" onClick={onAgain}>
          {text.another}
        </button>
      </div>
    </div>
  );
}

function Snippet({ label, shown, copied }: { label: string; shown: string; copied: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(copied);
    setDone(true);
    announce(text.copied);
  };
  return (
    <div className="snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard */}
      <pre className="code" tabIndex={0}>
        {shown}
      </pre>
      <button type="button" className="btn btn-s" onClick={() => void copy()}>
        <Icon name={done ? 'check' : 'copy'} small />
        {done ? text.copied : label}
      </button>
    </div>
  );
}
