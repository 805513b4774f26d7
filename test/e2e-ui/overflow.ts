import type { Page } from 'playwright-core';

/**
 * The elements that stick out of their box or are cut by it, sideways. The width of the document does not show them,
 * because the boxes around them clip. Text that ends in an ellipsis and boxes that scroll are meant to be cut.
 */
export async function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const BOXES = '.card, .step, .note, .pack, .stat, dialog[open], .catalogue-button, .page-in';
    const TOLERANCE_PX = 1.5;
    const clips = (element: Element) => getComputedStyle(element).overflowX !== 'visible';
    const scrolls = (element: Element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} "${(element.textContent ?? '').slice(0, 30)}"`;
    const found: string[] = [];
    for (const element of document.querySelectorAll('main *, dialog[open] *')) {
      const box = element.parentElement?.closest(BOXES);
      const rect = element.getBoundingClientRect();
      if (!box || rect.width === 0 || rect.height === 0 || element.closest('.sr, .sr-head, .uplot')) continue;
      const { left, right } = box.getBoundingClientRect();
      if (rect.right <= right + TOLERANCE_PX && rect.left >= left - TOLERANCE_PX) continue;
      let between = element.parentElement;
      while (between && between !== box && !clips(between)) between = between.parentElement;
      const isControl = element.matches('button, a, input, select, textarea');
      const isCut = between !== null && between !== box && !(isControl && !scrolls(between));
      if (!isCut && !(between === box && scrolls(box)))
        found.push(`${nameOf(element)} leaves ${nameOf(box)}`);
    }
    return found;
  });
}
