import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeReport {
  violations: { id: string; nodes: { target: string[] }[] }[];
}

/** Loads axe into a page, once per document: the script is large. */
async function loadAxe(page: Page | Frame): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
}

/** The violations that axe finds on the page, by all rules or the given ones; the page must be opened with `bypassCSP`. */
export async function violationsIn(
  page: Page | Frame,
  rules?: readonly string[],
  within = 'html',
): Promise<string[]> {
  await loadAxe(page);
  return page.evaluate(
    async ([selector, runOnly]) => {
      const { axe } = globalThis as unknown as {
        axe: { run(on: string, options: object): Promise<AxeReport> };
      };
      const { violations } = await axe.run(selector, {
        preload: false,
        resultTypes: ['violations'],
        ...(runOnly && { runOnly }),
      });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
    },
    [within, rules] as const,
  );
}

const MARK = 'data-under-check';

// As text, because the types of the DOM are not known outside the UI.
/**
 * Marks the texts whose look was not seen before: their element and those around it by name, their colour and size, and
 * every background behind them.
 */
const MARK_TEXTS = `((seen) => {
  for (const marked of document.querySelectorAll('[${MARK}]')) marked.removeAttribute('${MARK}');
  const known = new Map();
  const behind = (element) => {
    if (!element) return '';
    if (!known.has(element)) {
      const { backgroundColor, opacity } = getComputedStyle(element);
      known.set(element, behind(element.parentElement) + '>' + element.tagName + '.' + element.className + backgroundColor + opacity);
    }
    return known.get(element);
  };
  const hash = (text) => {
    let sum = 7;
    for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) | 0;
    return text.length + ':' + sum;
  };
  const isText = (element) =>
    element.matches('input, textarea, select') || [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const added = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (!isText(element) || !element.checkVisibility()) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const look = hash([behind(element), color, fontSize, fontWeight, element.disabled, element.placeholder].join());
    if (seen.has(look)) continue;
    seen.add(look);
    added.push(look);
    element.setAttribute('${MARK}', '');
  }
  return added;
})`;

/** The texts with too little contrast, of looks that are not in `seen`; those of this page are added to it. */
export async function contrastOfNewTexts(
  page: Page,
  seen: Set<string>,
  rule: 'color-contrast' | 'color-contrast-enhanced' = 'color-contrast',
): Promise<string[]> {
  const added = await page.evaluate<string[]>(`${MARK_TEXTS}(new Set(${JSON.stringify([...seen])}))`);
  for (const look of added) seen.add(look);
  return added.length === 0 ? [] : violationsIn(page, [rule], `[${MARK}]`);
}

/** Marks one control of each look that was not seen before: to look at every one would take long. */
const MARK_CONTROLS = `((seen, within) => {
  for (const marked of document.querySelectorAll('[${MARK}]')) marked.removeAttribute('${MARK}');
  const modal = document.querySelector('dialog[open]');
  const unreachable = [];
  let count = 0;
  for (const control of document.querySelectorAll('button, a:not(.skip), summary, [role=option]')) {
    if (!control.closest(within)) continue;
    const look = control.tagName + control.className + (control.ariaPressed ?? '') + (control.ariaCurrent ?? '');
    if (seen.has(look) || !control.checkVisibility() || control.disabled || (modal && !modal.contains(control)))
      continue;
    seen.add(look);
    control.setAttribute('${MARK}', '');
    count += 1;
    control.scrollIntoViewIfNeeded();
    const { left, top, width, height } = control.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!control.contains(hit)) unreachable.push('the mouse cannot reach ' + control.outerHTML.slice(0, 80));
  }
  return { looks: [...seen], count, unreachable };
})`;

/**
 * The controls whose text has too little contrast while the mouse is over them or they have the focus, and those that
 * the mouse cannot reach. Those of a look in `seen` are left out, and the looks of this page are added. `within`: only
 * controls inside of this selector. All are put into the state together, as the developer tools do it: to move the
 * mouse over each and check that alone takes ten times as long.
 */
export async function contrastUnderMouseAndFocus(
  page: Page,
  seen = new Set<string>(),
  within = '*',
): Promise<string[]> {
  const { looks, count, unreachable } = await page.evaluate<{
    looks: string[];
    count: number;
    unreachable: string[];
  }>(`${MARK_CONTROLS}(new Set(${JSON.stringify([...seen])}), ${JSON.stringify(within)})`);
  for (const look of looks) seen.add(look);
  if (count === 0) return [];
  const problems = [...unreachable];
  const tools = await page.context().newCDPSession(page);
  await tools.send('DOM.enable');
  await tools.send('CSS.enable');
  const { root } = await tools.send('DOM.getDocument', { depth: 0 });
  const { nodeIds } = await tools.send('DOM.querySelectorAll', {
    nodeId: root.nodeId,
    selector: `[${MARK}]`,
  });
  for (const states of [['hover'], ['focus', 'focus-visible']]) {
    for (const nodeId of nodeIds)
      await tools.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: states });
    const found = await violationsIn(page, ['color-contrast'], `[${MARK}]`);
    problems.push(...found.map((problem) => `${states[0]}: ${problem}`));
  }
  // Closing the session ends the states.
  await tools.detach();
  return problems;
}
