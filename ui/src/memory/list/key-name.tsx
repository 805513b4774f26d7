/** A key with its folders dimmed. If space is short, the folders are truncated. */
export function KeyName({ name }: { name: string }) {
  const slash = name.lastIndexOf('/', name.length - 2) + 1;
  return (
    <>
      {slash > 0 && <span className="folders">{name.slice(0, slash)}</span>}
      <span className="leaf">{name.slice(slash)}</span>
    </>
  );
}
