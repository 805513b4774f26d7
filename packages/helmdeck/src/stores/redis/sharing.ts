import type { Notice, Sharing } from '../../memory/store.ts';
import type { RedisDriver } from './driver.ts';
import type { RedisKeys } from './keys.ts';
import { scripts } from './scripts.ts';

const SENDER_BYTES = 8;
const NS_BYTES = 16;
const DOUBLE_BYTES = 8;

/** Notices and leases between processes on one Redis. The scripts that write publish the notices. */
export function redisSharing(driver: RedisDriver, keys: RedisKeys, sender: Buffer): Sharing {
  function parseNotice(message: Buffer): Notice {
    const numbersAt = SENDER_BYTES + NS_BYTES;
    return {
      ns: new Uint8Array(message.subarray(SENDER_BYTES, numbersAt)),
      afterSeq: message.readDoubleBE(numbersAt),
      seq: message.readDoubleBE(numbersAt + DOUBLE_BYTES),
      deleted: message.readDoubleBE(numbersAt + 2 * DOUBLE_BYTES),
    };
  }

  return {
    watch: (listener) =>
      driver.subscribe(keys.changes, (message) => {
        if (message === undefined) listener(undefined);
        else if (!message.subarray(0, SENDER_BYTES).equals(sender)) listener(parseNotice(message));
      }),
    async acquireLease(name, holder, ttlMs) {
      return (
        (await driver.run<number>(scripts.acquireLease, keys.lease(name), [holder, String(ttlMs)])) === 1
      );
    },
    async leaseHolder(name) {
      const key = keys.lease(name);
      return (await driver.send<Buffer | null>(key, ['GET', key]))?.toString();
    },
    async releaseLease(name, holder) {
      await driver.run(scripts.releaseLease, keys.lease(name), [holder]);
    },
  };
}
