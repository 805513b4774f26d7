import { useEffect } from 'react';
import { strings } from '../strings.ts';
import { MintCard } from './mint-card.tsx';
import { TokensCard } from './tokens-card.tsx';

const text = strings.connect;

export function ConnectPage() {
  useEffect(() => {
    document.title = `${text.title} · ${strings.product}`;
  }, []);
  return (
    <div className="page">
      <div className="page-in">
        <header className="page-head">
          <div>
            <h1>{text.title}</h1>
            <p>{text.lead}</p>
          </div>
        </header>
        <MintCard />
        <TokensCard />
      </div>
    </div>
  );
}
