import type { Page } from 'playwright-core';

// As text, because the types of the DOM are not known outside the UI.
const FIND_OVERFLOWING = `(() => {
  const BOXES = '.list-pane, .detail, .card, .step, .note, .pack, .stat, dialog[open], .catalogue-button, .build-bar, .page-in';
  const TOLERANCE_PX = 1.5;
  const clips = (element) => getComputedStyle(element).overflowX !== 'visible';
  const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const nameOf = (element) =>
    element.tagName.toLowerCase() + '.' + [...element.classList].join('.') + ' "' + element.textContent.slice(0, 30) + '"';
  const found = [];
  for (const element of document.querySelectorAll('main *, dialog[open] *')) {
    const box = element.parentElement?.closest(BOXES);
    const rect = element.getBoundingClientRect();
    if (!box || rect.width === 0 || rect.height === 0 || element.closest('.sr, .sr-head, .uplot')) continue;
    const isControl = element.matches('button, a, input, select, textarea');
    if (element.matches('button, a') && !clips(element) && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      found.push('the text leaves ' + nameOf(element));
    const { left, right } = box.getBoundingClientRect();
    if (rect.right <= right + TOLERANCE_PX && rect.left >= left - TOLERANCE_PX) continue;
    let between = element.parentElement;
    while (between !== box && !clips(between)) between = between.parentElement;
    const isMeant = between === box ? scrolls(box) : scrolls(between) || !isControl;
    if (!isMeant) found.push(nameOf(element) + ' leaves ' + nameOf(box));
  }
  for (const box of document.querySelectorAll('.rail, .brand, .main, .page, .page-in, .card, .card-head, dialog[open]'))
    if (box.checkVisibility() && box.scrollWidth > box.clientWidth)
      found.push(nameOf(box) + ' has ' + box.scrollWidth + ' px in ' + box.clientWidth);
  return found;
})()`;

/**
 * The elements that stick out of their box or are cut by it, sideways. The width of the document does not show them,
 * because the boxes around them clip. Text that ends in an ellipsis and boxes that scroll are meant to be cut.
 */
export const overflowing = (page: Page): Promise<string[]> => page.evaluate<string[]>(FIND_OVERFLOWING);

/** Waits until a changed layout is drawn. */
export const twoFrames = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
