import { type ChildProcess, spawn } from 'node:child_process';

// Reads "+ pid" and "- pid"; when the server is gone, so is its end of the pipe, and the rest is killed.
const SCRIPT = `
left=
while read -r sign pid; do
  case $sign in
    +) left="$left $pid" ;;
    *) kept=; for each in $left; do [ "$each" = "$pid" ] || kept="$kept $each"; done; left=$kept ;;
  esac
done
for each in $left; do kill -s KILL -- "-$each" 2>/dev/null; done
`;

let reaper: ChildProcess | undefined;

/** A small process that ends the server's programs when the server is killed and cannot do so itself. */
function runningReaper(): ChildProcess {
  if (reaper) return reaper;
  // A session of its own: what is sent to the server's group must not reach it first.
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
    cwd: '/',
  });
  const forget = () => {
    if (reaper === child) reaper = undefined;
  };
  child.on('error', forget);
  child.on('exit', forget);
  child.stdin.on('error', forget);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  reaper = child;
  return child;
}

/** To be called before a program starts: a server that is killed right after its first one must not leave it behind. */
export function prepareReaper(): void {
  runningReaper();
}

/**
 * Has a group of processes ended together with the server; the answer takes that back. What the server starts in its very
 * last millisecond may be missed.
 */
export function endWithServer(groupId: number): () => void {
  const tell = (sign: '+' | '-') => void runningReaper().stdin?.write(`${sign} ${groupId}\n`);
  tell('+');
  return () => tell('-');
}
