const counts = { passed: 0, failed: 0 };

/** Runs one check; a failure is printed and counted, and the other checks continue. */
export async function check(name: string, work: () => Promise<void> | void): Promise<boolean> {
  const startMs = performance.now();
  try {
    await work();
    counts.passed++;
    console.log(`  ✓ ${name} (${((performance.now() - startMs) / 1000).toFixed(1)} s)`);
    return true;
  } catch (thrown) {
    counts.failed++;
    console.log(
      `  ✗ ${name}\n${indented(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))}`,
    );
    return false;
  }
}

const indented = (text: string) => text.replace(/^/gm, '      ');

/** Prints the totals and returns the exit code. */
export function summary(): number {
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

/** Polls until the result satisfies the condition: a client needs a moment to notice a change. */
export async function eventually<Result>(
  poll: () => Promise<Result>,
  holds: (result: Result) => boolean,
  withinMs = 60_000,
): Promise<Result> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const last = await poll().catch((thrown: Error) => thrown);
    if (!(last instanceof Error) && holds(last)) return last;
    if (Date.now() > endMs)
      throw last instanceof Error ? last : new Error(`timeout; the last result: ${JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
