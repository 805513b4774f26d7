import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';

/** The page for an unknown URL. */
export function NotFoundPage() {
  return (
    <div className="empty m-auto">
      <h1>{strings.notFound.title}</h1>
      <p>{strings.notFound.text}</p>
      <Link to="/" className="btn btn-primary mt-2">
        {strings.notFound.back}
      </Link>
    </div>
  );
}
