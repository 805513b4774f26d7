import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The encodings of a text to look for in files: UTF-8, UTF-16, hex, and base64 at each of the three alignments. */
function formsOf(text: string): Buffer[] {
  const utf8 = Buffer.from(text);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), utf8]).toString('base64');
    const inner = encoded.slice(offset === 0 ? 0 : offset + 1, -4);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const hex = utf8.toString('hex');
  return [
    utf8,
    Buffer.from(text, 'utf16le'),
    ...[...base64, hex, hex.toUpperCase()].map((form) => Buffer.from(form)),
  ];
}

/** Lists which of the texts occur in which files of a folder. */
export function tracesOf(texts: Record<string, string>, folder: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    for (const [name, text] of Object.entries(texts)) {
      if (formsOf(text).some((form) => bytes.includes(form))) found.push(`${name} in ${entry.name}`);
    }
  }
  return found;
}
