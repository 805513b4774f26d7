import { createHash } from 'node:crypto';
import type { ExportLine } from '../../memory/import-export.ts';

const TYPES: Record<string, string> = {
  preferences: 'preference',
  commitments: 'goal',
  project_facts: 'project',
  project_conventions: 'instruction',
};

/** Facts as Portable AI Memory 1.0. What that format has no field for is under `metadata.helmdeck`, and import reads it. */
export async function* exportPam(
  facts: AsyncIterable<ExportLine>,
  owner: string,
  nowIso: string,
): AsyncGenerator<string> {
  const header = {
    schema: 'portable-ai-memory',
    schema_version: '1.0',
    owner: { id: owner },
    export_date: nowIso,
  };
  yield `${JSON.stringify(header).slice(0, -1)},"memories":[\n`;
  let isFirst = true;
  for await (const fact of facts) {
    yield `${isFirst ? '' : ',\n'}${JSON.stringify(memoryOf(fact))}`;
    isFirst = false;
  }
  yield '\n]}\n';
}

function memoryOf(fact: ExportLine) {
  const { key, value, category, tags, created_at, expires_at, trust, confirmed_at, review_after_seconds } =
    fact;
  return {
    id: idOf(key),
    type: TYPES[category] ?? 'fact',
    status: 'active',
    content: value,
    content_hash: `sha256:${createHash('sha256').update(normalised(value)).digest('hex')}`,
    tags,
    temporal: { created_at, updated_at: confirmed_at, valid_until: expires_at },
    provenance: {
      platform: 'helmdeck',
      extraction_method: trust === 'direct_user' ? 'user_explicit' : 'llm_inference',
    },
    access: { visibility: 'private' },
    metadata: {
      helmdeck: {
        key,
        category,
        trust,
        confirmed_at,
        ...(review_after_seconds ? { review_after_seconds } : {}),
      },
    },
  };
}

/** The same key has the same id in every export, so that other programs recognise it. */
function idOf(key: string): string {
  const hex = createHash('sha256').update(`helmdeck ${key}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

const normalised = (text: string) => text.normalize('NFC').trim().toLowerCase().replace(/\s+/g, ' ');
