import { AppError } from '../errors.ts';
import { StoreConflict } from '../memory/store.ts';

/** The text of a storage's own error may hold a path; it stays in the cause. */
export function asArtifactProblem(thrown: unknown): unknown {
  if (thrown instanceof AppError || thrown instanceof StoreConflict) return thrown;
  const full = (thrown as NodeJS.ErrnoException).code === 'ENOSPC';
  return new AppError(
    'artifact_failed',
    full ? 'The disk of the artifact storage is full.' : 'The artifact storage failed.',
    { reason: full ? 'disk_full' : 'storage', cause: thrown },
  );
}
