import { AppError } from '../../errors.ts';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';

/** Counts one more stream of a caller, or refuses; the answer gives the place back, once. */
export type TakeSlot = (caller: Caller) => () => void;

/** So many streams of one caller at once: each holds a connection and a listener. */
export function createStreamSlots(max: number): TakeSlot {
  const open = new Map<string, number>();
  return (caller) => {
    const name = namespaceOf(caller).toString('latin1');
    const count = open.get(name) ?? 0;
    if (count >= max) {
      throw new AppError('rate_limited', `At most ${max} streams at once.`, {
        hint: 'Close a stream first.',
        retryAfterSeconds: 15,
      });
    }
    open.set(name, count + 1);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      const left = open.get(name)! - 1;
      if (left > 0) open.set(name, left);
      else open.delete(name);
    };
  };
}
