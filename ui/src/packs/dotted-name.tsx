/** A name such as `release.collect_changes`, which may wrap after a dot. */
export function DottedName({ name }: { name: string }) {
  const parts = name.split('.');
  return (
    <span className="mono dotted">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name do not move
        <span key={at}>
          {part}
          {at < parts.length - 1 && (
            <>
              .<wbr />
            </>
          )}
        </span>
      ))}
    </span>
  );
}
