const counts = { passed: 0, failed: 0 };

/** One thing a person would notice; a failure is shown and counted, and the rest goes on. */
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

/** The last line, and the exit code. */
export function summary(): number {
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

/** Asks again until the answer holds what it should: a client needs a moment to notice a change. */
export async function eventually<Answer>(
  ask: () => Promise<Answer>,
  holds: (answer: Answer) => boolean,
  withinMs = 60_000,
): Promise<Answer> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const last = await ask().catch((thrown: Error) => thrown);
    if (!(last instanceof Error) && holds(last)) return last;
    if (Date.now() > endMs)
      throw last instanceof Error
        ? last
        : new Error(`it did not happen; the last answer: ${JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
