import { AppError } from '../errors.ts';
import { StoreConflict } from '../memory/store.ts';

/** Wraps an error of the blob store. Its text may contain a path, so it stays in the cause. */
export function toArtifactError(thrown: unknown): unknown {
  if (thrown instanceof AppError || thrown instanceof StoreConflict) return thrown;
  const full = (thrown as NodeJS.ErrnoException).code === 'ENOSPC';
  return new AppError(
    'artifact_failed',
    full ? 'The disk of the artifact storage is full.' : 'The artifact storage failed.',
    { reason: full ? 'disk_full' : 'storage', cause: thrown },
  );
}
