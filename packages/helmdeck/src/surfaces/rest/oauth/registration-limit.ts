import { AppError } from '../../../errors.ts';
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import { networkOf } from '../../http/client-address.ts';

/** Limits how many applications one network registers. A client that cannot register cannot connect, so it allows many. */
export interface RegistrationLimit {
  /** Throws `rate_limited`. */
  take(address: string): void;
}

const BURST = 60;
const INTERVAL_MS = 2_000;
const MAX_NETWORKS = 10_000;

export function createRegistrationLimit(now: () => number): RegistrationLimit {
  const networks = new BoundedMap<string, { left: number; atMs: number }>(MAX_NETWORKS);
  return {
    take(address) {
      const network = networkOf(address);
      const { left, atMs } = networks.get(network) ?? { left: BURST, atMs: now() };
      const current = Math.min(BURST, left + (now() - atMs) / INTERVAL_MS);
      if (current < 1) {
        throw new AppError('rate_limited', 'Too many registrations from this network.', {
          retryAfterSeconds: Math.ceil(((1 - current) * INTERVAL_MS) / 1000),
        });
      }
      networks.set(network, { left: current - 1, atMs: now() });
    },
  };
}
