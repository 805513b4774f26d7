import { visibleText } from '../../memory/facts/hidden-characters.ts';

/**
 * A stored text as one line for a model, with hidden characters made visible. Closing tags are escaped, so that it cannot
 * end an element that a program puts around it.
 */
export function oneLine(text: string): string {
  return visibleText(text.replaceAll(/\s+/g, ' ')).trim().replaceAll('</', '<\\/');
}
