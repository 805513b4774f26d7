import { useQuery } from '@tanstack/react-query';
import { callApi } from '../api/call-api.ts';
import { strings } from '../strings.ts';

/** Where to look things up, and which version this is. */
export function RailLinks({ onHelp }: { onHelp(): void }) {
  return (
    <div className="rail-links">
      <button type="button" onClick={onHelp}>
        {strings.help}
      </button>
      <a href="/docs">{strings.api}</a>
      <span className="grow" />
      <Version />
    </div>
  );
}

/** The version of the server, once it is known. */
export function Version() {
  const { data } = useQuery({
    queryKey: ['version'],
    queryFn: () => callApi('GET /version', {}),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data && <span className="num">{strings.version(data.version)}</span>;
}
