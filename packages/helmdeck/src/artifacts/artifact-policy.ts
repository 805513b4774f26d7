import { AppError } from '../errors.ts';

/** The limits of an artifact. */
export const ARTIFACT_POLICY = Object.freeze({
  maxBytes: 25 * 1024 * 1024,
  ttlSeconds: 7 * 86_400,
  maxArtifactsPerCaller: 10_000,
  maxFilenameBytes: 200,
});

/** File name and content type that a kind implies; kinds that are not listed imply nothing. */
const KNOWN_KINDS: Readonly<Record<string, { filename: string; contentType: string }>> = {
  blog: { filename: 'blog.md', contentType: 'text/markdown' },
  markdown: { filename: 'document.md', contentType: 'text/markdown' },
  transcript: { filename: 'transcript.txt', contentType: 'text/plain' },
  summary: { filename: 'summary.md', contentType: 'text/markdown' },
  json: { filename: 'data.json', contentType: 'application/json' },
  text: { filename: 'text.txt', contentType: 'text/plain' },
  html: { filename: 'page.html', contentType: 'text/html' },
  csv: { filename: 'table.csv', contentType: 'text/csv' },
  binary: { filename: 'file.bin', contentType: 'application/octet-stream' },
};
export const ARTIFACT_KINDS: readonly string[] = Object.keys(KNOWN_KINDS);

const KIND = /^[a-z0-9][a-z0-9_-]{0,31}$/;
const CONTENT_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,62}\/[a-z0-9][\w!#$&^.+-]{0,62}(?:;\s?charset=[\w-]{1,32})?$/i;
// Control characters, and those that are invisible or change the writing direction: `invoice<RLO>fdp.exe`.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export interface ArtifactDescription {
  filename: string;
  contentType: string;
  kind?: string;
}

/** Determines name and type of an artifact: as given, else as its kind implies, else plain bytes. */
export function describeArtifact(given: Partial<ArtifactDescription>): ArtifactDescription {
  const { kind, contentType } = given;
  if (kind !== undefined && !KIND.test(kind))
    refuse('kind must be up to 32 lower-case letters, digits, _ and -', 'bad_kind');
  if (contentType !== undefined && !CONTENT_TYPE.test(contentType))
    refuse('content_type must look like text/markdown', 'bad_content_type');
  const known = KNOWN_KINDS[kind !== undefined && Object.hasOwn(KNOWN_KINDS, kind) ? kind : 'binary']!;
  return {
    filename: cleanFilename(given.filename ?? '') || known.filename,
    contentType: contentType ?? known.contentType,
    ...(kind === undefined ? {} : { kind }),
  };
}

/** Makes a file name safe in any folder: no path, no invisible characters, none that a shell or browser interprets. */
export function cleanFilename(filename: string): string {
  const last = filename.normalize('NFC').replace(INVISIBLE, '').split(/[/\\]/).at(-1)!;
  const plain = last
    .replace(/[<>:"|?*]/g, '_')
    .trim()
    .replace(/^[.\s-]+|[.\s]+$/g, '');
  let cut = plain;
  while (Buffer.byteLength(cut) > ARTIFACT_POLICY.maxFilenameBytes) cut = [...cut].slice(0, -1).join('');
  return cut;
}

export function assertSize(bytes: number): void {
  if (bytes > ARTIFACT_POLICY.maxBytes) {
    throw new AppError('payload_too_large', `An artifact has at most ${ARTIFACT_POLICY.maxBytes} bytes.`, {
      hint: 'Store it in several parts.',
    });
  }
}

function refuse(why: string, reason: string): never {
  throw new AppError('invalid_input', `${why}.`, { reason });
}
