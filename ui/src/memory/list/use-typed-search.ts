import { useEffect, useRef, useState } from 'react';
import { useNavigate } from '../../navigation/navigation.tsx';

const ADDRESS_MS = 300;

/** The search text: it takes effect at once, and the URL follows when typing pauses. */
export function useTypedSearch(inAddress: string | undefined) {
  const navigate = useNavigate({ from: '/' });
  const [q, setQ] = useState(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(inAddress);
  useEffect(() => {
    // When the URL catches up, it must not overwrite what was typed since.
    if (inAddress === sent.current) return;
    sent.current = inAddress;
    clearTimeout(timer.current);
    setQ(inAddress);
  }, [inAddress]);
  const type = (next: string | undefined) => {
    setQ(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = next;
      void navigate({
        search: (before) => ({ ...before, q: next }),
        replace: true,
        state: (before) => before,
      });
    }, ADDRESS_MS);
  };
  return [q, type, sent] as const;
}
