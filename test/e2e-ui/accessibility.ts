import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ElementHandle, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeReport {
  violations: { id: string; nodes: { target: string[] }[] }[];
}

/** The violations that axe finds on the page, by all rules or the given ones; the page must be opened with `bypassCSP`. */
export async function violationsIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeReport> } };
    const { violations } = await axe.run(runOnly ? { runOnly } : {});
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  }, rules);
}

/** One control of each look that was not seen before, as hovering over every one would take long. */
const CONTROLS = `((seen) => {
  return [...document.querySelectorAll('button, a:not(.skip), summary, [role=option]')].filter((control) => {
    const look = control.tagName + control.className + (control.ariaPressed ?? '') + (control.ariaCurrent ?? '');
    const modal = document.querySelector('dialog[open]');
    if (seen.has(look) || !control.checkVisibility() || control.disabled || (modal && !modal.contains(control)))
      return false;
    seen.add(look);
    return true;
  });
})`;

/**
 * The controls whose text has too little contrast while the mouse is over them or they have the focus. Those of a look
 * in `seen` are left out, and the looks of this page are added.
 */
export async function contrastUnderMouseAndFocus(page: Page, seen = new Set<string>()): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluateHandle<{ controls: unknown[]; looks: string[] }>(
    `(() => { const seen = new Set(${JSON.stringify([...seen])}); return { controls: ${CONTROLS}(seen), looks: [...seen] }; })()`,
  );
  for (const look of await found.evaluate(({ looks }) => looks)) seen.add(look);
  const controls = await found.getProperty('controls');
  const problems: string[] = [];
  for (const control of (await controls.getProperties()).values()) {
    const element = control.asElement() as ElementHandle | null;
    if (!element) continue;
    const atRest = await coloursOf(element);
    for (const state of ['hover', 'focus'] as const) {
      await element[state]({ timeout: 5_000 });
      // Most look as at rest, which a check of the whole page covers.
      if ((await coloursOf(element)) === atRest) continue;
      problems.push(...(await contrastOf(element)).map((problem) => `${state}: ${problem}`));
    }
  }
  return problems;
}

/** The colours of a control and what is in it, as text to compare. */
function coloursOf(element: ElementHandle): Promise<string> {
  return element.evaluate((control) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle(of: unknown): Record<'color' | 'backgroundColor' | 'opacity', string>;
    };
    const inside = [
      ...(control as unknown as { querySelectorAll(selector: string): unknown[] }).querySelectorAll('*'),
    ];
    const look = ({ color, backgroundColor, opacity }: ReturnType<typeof getComputedStyle>) =>
      [color, backgroundColor, opacity].join();
    return [control, ...inside].map((one) => look(getComputedStyle(one))).join(' ');
  });
}

function contrastOf(element: ElementHandle): Promise<string[]> {
  return element.evaluate(async (checked) => {
    const { axe } = globalThis as unknown as {
      axe: { run(on: unknown, options: object): Promise<AxeReport> };
    };
    const { violations } = await axe.run(checked, { runOnly: ['color-contrast'] });
    return violations.flatMap(({ nodes }) => nodes.map(({ target }) => target.join(' ')));
  });
}
