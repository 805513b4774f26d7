import { useRef } from 'react';

/** A key per step that stays with it when it moves: ids change while they are typed, and positions when steps move. */
export function useStepKeys(count: number) {
  const last = useRef(0);
  const list = useRef<number[]>([]);
  // Another definition was loaded.
  if (list.current.length !== count) list.current = Array.from({ length: count }, () => ++last.current);
  return {
    list: list.current,
    add: () => {
      list.current = [...list.current, ++last.current];
    },
    move: (at: number, step: 1 | -1) => {
      list.current = list.current.toSpliced(at, 1).toSpliced(at + step, 0, list.current[at]!);
    },
    remove: (at: number) => {
      list.current = list.current.toSpliced(at, 1);
    },
  };
}
