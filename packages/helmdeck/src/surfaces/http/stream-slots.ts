import { AppError } from '../../errors.ts';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';

/** Reserves a stream for a caller, or throws `rate_limited`. Calling the result releases it; further calls do nothing. */
export type TakeSlot = (caller: Caller) => () => void;

/** Limits how many streams one caller has open: each holds a connection and a listener. `onChange` counts those of all. */
export function createStreamSlots(
  max: number,
  what: string,
  onChange: (change: 1 | -1) => void,
  hint = 'Close a stream first.',
): TakeSlot {
  const open = new Map<string, number>();
  return (caller) => {
    const name = namespaceOf(caller).toString('latin1');
    const count = open.get(name) ?? 0;
    if (count >= max) {
      throw new AppError('rate_limited', `At most ${max} ${what} at once.`, {
        hint,
        retryAfterSeconds: 15,
      });
    }
    open.set(name, count + 1);
    onChange(1);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      onChange(-1);
      const left = open.get(name)! - 1;
      if (left > 0) open.set(name, left);
      else open.delete(name);
    };
  };
}
