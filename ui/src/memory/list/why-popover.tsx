import type { SearchHit, Why } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';
import { whySentences } from '../detail/why-sentences.ts';
import { useExplained } from '../fact-queries.ts';
import type { MemorySearch } from './memory-search.ts';

const text = strings.why;

/** Why a fact was found: the parts of its score as bars, and in sentences where each word stands. */
export function WhyHit({ hit, search }: { hit: SearchHit; search: MemorySearch }) {
  const why = useExplained(search)?.find(({ key }) => key === hit.key)?.why;
  if (!why) return null;
  const found = new Set(why.terms.map(({ word }) => word)).size;
  return (
    <section className="pop why-pop" aria-label={text.label}>
      <div className="row between">
        <b>{text.title(hit.score.toFixed(2))}</b>
        <span className="small faint">{text.words(found, found + why.missing.length)}</span>
      </div>
      {sharesOf(why).map(({ label, share }) => (
        <div key={label} className="why">
          <span>{label}</span>
          <span className="bar">
            <i style={{ width: `${Math.min(100, share * 100)}%` }} />
          </span>
          <span className="num">{share.toFixed(2)}</span>
        </div>
      ))}
      <ul className="why-terms small">
        {whySentences(why).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

function sharesOf(why: Why): { label: string; share: number }[] {
  const words = new Set([...why.terms.map(({ word }) => word), ...why.missing]);
  const inKey = new Set(why.terms.filter(({ fields }) => fields.includes('key')).map(({ word }) => word));
  return [
    { label: text.lexical, share: Math.min(1, why.lexical) },
    ...(why.vector === undefined ? [] : [{ label: text.vector, share: why.vector }]),
    { label: text.key, share: words.size === 0 ? 0 : inKey.size / words.size },
  ];
}
