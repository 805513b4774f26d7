import { looksLikeMarkdown } from '../detail/markdown.ts';

export type ValueForm = { form: 'json'; text: string } | { form: 'markdown' | 'code' | 'text' };

/** The form a value is shown in. Only objects and arrays count as JSON: `42` and `true` read better as text. */
export function valueForm(value: string): ValueForm {
  const trimmed = value.trim();
  if (/^[{[]/.test(trimmed)) {
    try {
      return { form: 'json', text: JSON.stringify(JSON.parse(trimmed), null, 2) };
    } catch {
      // It only looks like JSON.
    }
  }
  if (looksLikeCode(trimmed)) return { form: 'code' };
  return { form: looksLikeMarkdown(trimmed) ? 'markdown' : 'text' };
}

/** Lines that begin or end like code; a single one is not enough. */
function looksLikeCode(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (text.startsWith('#!')) return true;
  if (lines.length < 2 || text.includes('```')) return false;
  const likeCode = lines.filter((line) =>
    /[;{}]\s*$|^\s*(\$ |[}\])]|<\/?\w+|\w+:\s*$|\w+\s*=\s*\S)/.test(line),
  );
  return likeCode.length / lines.length > 0.5;
}
