import type { Notice, Sharing } from '../../memory/store.ts';
import type { RedisDriver } from './driver.ts';
import type { RedisKeys } from './keys.ts';
import { scripts } from './scripts.ts';

const SENDER_BYTES = 8;
const NS_BYTES = 16;

/** What processes on one Redis tell each other. Scripts that write send `sender`, namespace, two positions and the rows removed. */
export function redisSharing(driver: RedisDriver, keys: RedisKeys, sender: Buffer): Sharing {
  function noticeOf(message: Buffer): Notice {
    const numbers = SENDER_BYTES + NS_BYTES;
    return {
      ns: new Uint8Array(message.subarray(SENDER_BYTES, numbers)),
      afterSeq: message.readDoubleBE(numbers),
      seq: message.readDoubleBE(numbers + 8),
      deleted: message.readDoubleBE(numbers + 16),
    };
  }

  return {
    watch: (listener) =>
      driver.listen(keys.changes, (message) => {
        if (message === undefined) listener(undefined);
        else if (!message.subarray(0, SENDER_BYTES).equals(sender)) listener(noticeOf(message));
      }),
    async takeLease(name, holder, ttlMs) {
      return (await driver.run<number>(scripts.takeLease, keys.lease(name), [holder, String(ttlMs)])) === 1;
    },
    async leaseHolder(name) {
      const key = keys.lease(name);
      return (await driver.send<Buffer | null>(key, ['GET', key]))?.toString();
    },
    async endLease(name, holder) {
      await driver.run(scripts.endLease, keys.lease(name), [holder]);
    },
  };
}
