import { useEffect, useState } from 'react';

/** Nothing before 150 ms, then the shape of what is to come. */
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
