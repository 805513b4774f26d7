import { AppError } from '../../errors.ts';
import type { RedisDriver } from './driver.ts';
import type { RedisKeys } from './keys.ts';

/** Counts the ways in which keys were ever arranged; a change that older nodes would not understand adds one. */
const LAYOUT = 1;

/** Marks an empty place, and refuses one that a later version of Helmdeck arranged. */
export async function checkLayout(driver: RedisDriver, { layout }: RedisKeys): Promise<void> {
  const found = await driver.send<Buffer | null>(layout, ['GET', layout]);
  if (found === null) await driver.send(layout, ['SET', layout, String(LAYOUT), 'NX']);
  else if (Number(String(found)) > LAYOUT)
    throw new AppError(
      'memory_unavailable',
      'The data in Redis was written by a later version of Helmdeck.',
      {
        reason: 'later_schema',
        hint: 'Use that version, or another prefix in the address.',
      },
    );
}
