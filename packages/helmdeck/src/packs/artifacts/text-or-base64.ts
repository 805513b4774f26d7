import { AppError } from '../../errors.ts';

export type TextEncoding = 'utf-8' | 'base64';

const TEXT_TYPE =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson)\b)/i;
const CHARSET = /;\s*charset="?([\w-]+)/i;

/** Encodes bytes for JSON: as text if they are text, else as base64. */
export function textOrBase64(
  bytes: Uint8Array,
  contentType: string,
  cut = false,
): { text: string; encoding: TextEncoding } {
  const text = decoded(bytes, contentType, cut);
  return text === undefined
    ? { text: Buffer.from(bytes).toString('base64'), encoding: 'base64' }
    : { text, encoding: 'utf-8' };
}

function decoded(bytes: Uint8Array, contentType: string, cut: boolean): string | undefined {
  const charset = CHARSET.exec(contentType)?.[1] ?? 'utf-8';
  // The content type decides; without one, whether the bytes are valid UTF-8.
  if (TEXT_TYPE.test(contentType)) {
    const text = decoderOf(charset, false).decode(bytes);
    return cut ? text.replace(/\ufffd+$/, '') : text;
  }
  if (bytes.includes(0)) return undefined;
  try {
    return decoderOf('utf-8', true).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

function decoderOf(charset: string, fatal: boolean) {
  try {
    return new TextDecoder(charset, { fatal });
  } catch {
    return new TextDecoder('utf-8', { fatal });
  }
}

/** The inverse of `textOrBase64`. */
export function bytesOf(text: string, encoding: TextEncoding = 'utf-8'): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text);
  const compact = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact))
    throw new AppError('invalid_input', 'content is not base64.', { reason: 'bad_base64' });
  return Buffer.from(compact, 'base64');
}
