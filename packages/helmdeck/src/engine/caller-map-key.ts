import { type Caller, namespaceOf } from '../memory/namespace.ts';

/** The Map key of something that belongs to a caller: the same id of two callers gives two keys. */
export function callerMapKey(caller: Caller, id: string): string {
  return `${namespaceOf(caller).toString('latin1')}\0${id}`;
}

export function isSameCaller(a: Caller, b: Caller): boolean {
  return namespaceOf(a).equals(namespaceOf(b));
}
