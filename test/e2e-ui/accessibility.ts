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

/** One control of each look, as hovering over every one would take long. */
const CONTROLS = `(() => {
  const seen = new Set();
  return [...document.querySelectorAll('button, a:not(.skip), summary, [role=option]')].filter((control) => {
    const look = control.tagName + control.className + (control.ariaPressed ?? '') + (control.ariaCurrent ?? '');
    const modal = document.querySelector('dialog[open]');
    if (seen.has(look) || !control.checkVisibility() || control.disabled || (modal && !modal.contains(control)))
      return false;
    seen.add(look);
    return true;
  });
})()`;

/** The controls whose text has too little contrast while the mouse is over them or they have the focus. */
export async function contrastUnderMouseAndFocus(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const controls = await page.evaluateHandle(CONTROLS);
  const problems: string[] = [];
  for (const control of (await controls.getProperties()).values()) {
    const element = control.asElement() as ElementHandle | null;
    if (!element) continue;
    for (const state of ['hover', 'focus'] as const) {
      await element[state]({ timeout: 5_000 });
      problems.push(...(await contrastOf(element)).map((problem) => `${state}: ${problem}`));
    }
  }
  return problems;
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
