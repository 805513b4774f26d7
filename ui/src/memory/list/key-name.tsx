/** The folders of a key quiet, its leaf plain; where space is short, the folders are cut. */
export function KeyName({ name }: { name: string }) {
  const slash = name.lastIndexOf('/', name.length - 2) + 1;
  return (
    <>
      {slash > 0 && <span className="folders">{name.slice(0, slash)}</span>}
      <span className="leaf">{name.slice(slash)}</span>
    </>
  );
}
