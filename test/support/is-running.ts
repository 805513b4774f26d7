import { readFileSync } from 'node:fs';

/** Whether the process is alive; one that has ended but was not waited for (a zombie) is not. */
export function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0] !== 'Z';
  } catch {
    return false;
  }
}
