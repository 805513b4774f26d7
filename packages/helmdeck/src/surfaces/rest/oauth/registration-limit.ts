import { AppError } from '../../../errors.ts';
import { type AttemptRecords, attemptsInMemory } from '../../../identity/attempt-records.ts';
import { networkOf } from '../../http/client-address.ts';

/** Limits how many applications one network registers. A client that cannot register cannot connect, so it allows many. */
export interface RegistrationLimit {
  /** Throws `rate_limited`. */
  take(address: string): Promise<void>;
}

const BURST = 60;
const INTERVAL_MS = 2_000;

/** Without `records`, registrations are counted in RAM. */
export function createRegistrationLimit(
  now: () => number,
  records: AttemptRecords = attemptsInMemory(now),
): RegistrationLimit {
  return {
    take: (address) =>
      records.update(networkOf(address), ({ network, shared }) => {
        const before = Math.max(0, network.count - (now() - network.lastMs) / INTERVAL_MS);
        if (before + 1 > BURST) {
          throw new AppError('rate_limited', 'Too many registrations from this network.', {
            retryAfterSeconds: Math.ceil(((before + 1 - BURST) * INTERVAL_MS) / 1000),
          });
        }
        return { network: { ...network, count: before + 1, lastMs: now() }, shared };
      }),
  };
}
