import { AppError } from '../../errors.ts';
import type { RedisDriver } from './driver.ts';
import type { RedisKeys } from './keys.ts';

/** The version of the key layout; incremented by a change that older nodes would not understand. */
const LAYOUT_VERSION = 1;

/** Writes the layout version into an empty database; rejects data with a newer layout. */
export async function checkLayout(driver: RedisDriver, { layout }: RedisKeys): Promise<void> {
  const found = await driver.send<Buffer | null>(layout, ['GET', layout]);
  if (found === null) await driver.send(layout, ['SET', layout, String(LAYOUT_VERSION), 'NX']);
  else if (Number(String(found)) > LAYOUT_VERSION)
    throw new AppError(
      'memory_unavailable',
      'The data in Redis was written by a newer version of Helmdeck.',
      {
        reason: 'later_schema',
        hint: 'Run that version, or use another prefix in the address.',
      },
    );
}
