import { type ChildProcess, spawn } from 'node:child_process';

// Reads "+ pgid" and "- pgid". When the server dies its end of the pipe closes, and the remaining groups are killed.
const SCRIPT = `
groups=
while read -r sign pid; do
  case $sign in
    +) groups="$groups $pid" ;;
    *) rest=; for each in $groups; do [ "$each" = "$pid" ] || rest="$rest $each"; done; groups=$rest ;;
  esac
done
for each in $groups; do kill -s KILL -- "-$each" 2>/dev/null; done
`;

let reaper: ChildProcess | undefined;

/** Starts the reaper process, which kills the server's programs when the server itself is killed. */
function ensureReaper(): ChildProcess {
  if (reaper) return reaper;
  // Detached, so that a signal to the server's process group does not reach it.
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
    cwd: '/',
  });
  const discard = () => {
    if (reaper === child) reaper = undefined;
  };
  child.on('error', discard);
  child.on('exit', discard);
  child.stdin.on('error', discard);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  reaper = child;
  return child;
}

/** Call before a program starts, so that a server killed right after the start does not leave it behind. */
export function prepareReaper(): void {
  ensureReaper();
}

/**
 * Registers a process group to be killed together with the server; the returned function unregisters it. A program
 * started in the server's last millisecond may be missed.
 */
export function killWithServer(groupId: number): () => void {
  const send = (sign: '+' | '-') => void ensureReaper().stdin?.write(`${sign} ${groupId}\n`);
  send('+');
  return () => send('-');
}
