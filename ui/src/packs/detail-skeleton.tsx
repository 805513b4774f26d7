import { useEffect, useState } from 'react';

/** A skeleton, shown only after 150 ms, so that a fast response does not flicker. */
export function DetailSkeleton() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!late) return <div aria-busy="true" />;
  return (
    <div className="stack gap-3" aria-busy="true">
      {[30, 62, 88, 74].map((width) => (
        <span key={width} className="sk" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
