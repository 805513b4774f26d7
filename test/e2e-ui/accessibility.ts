import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ElementHandle, Frame, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeReport {
  violations: { id: string; nodes: { target: string[] }[] }[];
}

// As text, because the types of the DOM are not known outside the UI.
const READ_LOOK = `((control, first) => {
  if (first) control[first]();
  const { left, top, width, height } = control.getBoundingClientRect();
  const colours = [control, ...control.querySelectorAll('*')].map((one) => {
    const { color, backgroundColor, opacity } = getComputedStyle(one);
    return [color, backgroundColor, opacity].join();
  });
  return {
    x: left + width / 2,
    y: top + height / 2,
    colours: colours.join(' '),
    isIn: { hover: control.matches(':hover'), focus: control.matches(':focus') },
  };
})`;

/** Loads axe into a page, once per document: the script is large. */
async function loadAxe(page: Page | Frame): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis")))
    await page.evaluate(`${AXE}; globalThis.readLook = ${READ_LOOK};`);
}

/** The violations that axe finds on the page, by all rules or the given ones; the page must be opened with `bypassCSP`. */
export async function violationsIn(page: Page | Frame, rules?: readonly string[]): Promise<string[]> {
  await loadAxe(page);
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeReport> } };
    const { violations } = await axe.run({
      preload: false,
      resultTypes: ['violations'],
      ...(runOnly && { runOnly }),
    });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  }, rules);
}

/** One control of each look that was not seen before, as hovering over every one would take long. */
const CONTROLS = `((seen, within) => {
  const controls = document.querySelectorAll('button, a:not(.skip), summary, [role=option]');
  return [...controls].filter((control) => {
    if (!control.closest(within)) return false;
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
 * in `seen` are left out, and the looks of this page are added. `within`: only controls inside of this selector.
 */
export async function contrastUnderMouseAndFocus(
  page: Page,
  seen = new Set<string>(),
  within = '*',
): Promise<string[]> {
  await loadAxe(page);
  const found = await page.evaluateHandle<{ controls: unknown[]; looks: string[] }>(
    `(() => { const seen = new Set(${JSON.stringify([...seen])}); return { controls: ${CONTROLS}(seen, ${JSON.stringify(within)}), looks: [...seen] }; })()`,
  );
  for (const look of await found.evaluate(({ looks }) => looks)) seen.add(look);
  const controls = await found.getProperty('controls');
  const problems: string[] = [];
  for (const control of (await controls.getProperties()).values()) {
    const element = control.asElement() as ElementHandle | null;
    if (!element) continue;
    const { x, y, colours: atRest } = await lookOf(element, 'scrollIntoViewIfNeeded');
    await page.mouse.move(x, y);
    for (const state of ['hover', 'focus'] as const) {
      const { colours, isIn } = await lookOf(element, state === 'focus' ? 'focus' : undefined);
      // A row of a list is never focused itself: the list is.
      if (!isIn[state] && state === 'hover')
        problems.push(`${state}: cannot reach ${await element.evaluate((one) => `${one}`)}`);
      // Most look as at rest, which a check of the whole page covers.
      if (colours === atRest) continue;
      problems.push(...(await contrastOf(element)).map((problem) => `${state}: ${problem}`));
    }
  }
  return problems;
}

interface Look {
  /** Its middle. */
  x: number;
  y: number;
  /** The colours of the control and what is in it, as text to compare. */
  colours: string;
  isIn: { hover: boolean; focus: boolean };
}

/** The look of a control, after one of its methods was called. */
function lookOf(element: ElementHandle, first?: 'scrollIntoViewIfNeeded' | 'focus'): Promise<Look> {
  return element.evaluate((control, method) => {
    const { readLook } = globalThis as unknown as { readLook(of: unknown, method?: string): Look };
    return readLook(control, method);
  }, first);
}

function contrastOf(element: ElementHandle): Promise<string[]> {
  return element.evaluate(async (checked) => {
    const { axe } = globalThis as unknown as {
      axe: { run(on: unknown, options: object): Promise<AxeReport> };
    };
    const { violations } = await axe.run(checked, { preload: false, runOnly: ['color-contrast'] });
    return violations.flatMap(({ nodes }) => nodes.map(({ target }) => target.join(' ')));
  });
}
