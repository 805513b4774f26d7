import { randomBytes } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';

// A file beside the database that holds some space back, so that facts can be deleted when the disk is full.

/** A thousand frames of the WAL: enough for every transaction that only deletes. */
const RESERVE_BYTES = 2 << 20;
const RETRY_MS = 1_000;

export interface DiskReserve {
  /** Whether the space is held back; tries to take it again if it was released. */
  isHeld(): boolean;
  /** Returns the space to the disk; false if it was not held. */
  release(): boolean;
}

export function openDiskReserve(dbPath: string): DiskReserve {
  const path = `${dbPath}.reserve`;
  let isHeld = statSync(path, { throwIfNoEntry: false })?.size === RESERVE_BYTES;
  let retryAtMs = 0;

  function take(): void {
    if (isHeld || performance.now() < retryAtMs) return;
    try {
      writeFileSync(path, randomBytes(RESERVE_BYTES), { mode: 0o600 }); // random: zeros take no space on some file systems
      isHeld = true;
    } catch (thrown) {
      rmSync(path, { force: true });
      // If the folder cannot be written for another reason, writes fail or succeed without a reserve.
      isHeld = !['ENOSPC', 'EDQUOT'].includes((thrown as NodeJS.ErrnoException).code ?? '');
      retryAtMs = performance.now() + RETRY_MS;
    }
  }

  take();
  return {
    isHeld() {
      take();
      return isHeld;
    },
    release() {
      if (!isHeld) return false;
      rmSync(path, { force: true });
      isHeld = false;
      retryAtMs = performance.now() + RETRY_MS;
      return true;
    },
  };
}
