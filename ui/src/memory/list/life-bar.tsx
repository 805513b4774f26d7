/** A bar of the lifetime left; amber when the expiry is near. */
export function LifeBar({ share, soon }: { share: number; soon: boolean }) {
  return (
    <span className={`bar ${soon ? 'bar-warn' : 'bar-quiet'}`}>
      <i style={{ width: `${Math.max(2, share * 100)}%` }} />
    </span>
  );
}
