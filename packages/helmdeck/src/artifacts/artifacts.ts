import { randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { ArtifactInfo, Artifacts } from '../memory/artifact.ts';
import { type NamespaceKeys, rowId } from '../memory/crypto/sealed.ts';
import type { Entry } from '../memory/entry.ts';
import { type MemoryParts, putOp, readEntry, transact, walkEntries } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import { isoMs, isoSeconds } from '../memory/times.ts';
import { toArtifactError } from './artifact-error.ts';
import type { ArtifactLimits } from './artifact-limits.ts';
import { ARTIFACT_POLICY, assertSize, describeArtifact } from './artifact-policy.ts';
import { type BlobStore, blobPath } from './blob-store.ts';
import {
  newContentKey,
  openContent,
  type SealedArtifact,
  sealContent,
  sealedArtifactOf,
} from './sealed-artifact.ts';

export interface ArtifactParts {
  parts: MemoryParts;
  blobs: BlobStore;
  limits: ArtifactLimits;
  /** Paths of blobs whose row is not written yet. */
  beingWritten: Set<string>;
}

const KEY = /^art_[0-9a-f]{32}$/;

/** One caller's artifacts. */
export function createArtifacts(artifactParts: ArtifactParts, caller: Caller): Artifacts {
  const { parts, blobs, limits } = artifactParts;
  return {
    async put(artifact) {
      assertSize(artifact.content.length);
      const described = describeArtifact(artifact);
      const keys = await parts.directory.findOrCreate(caller);
      parts.limits.takeWrites(keys.ns, 1);
      const reservation = await limits.reserve(keys, artifact.content.length);
      try {
        const sealed = { ...described, size: artifact.content.length, contentKey: newContentKey() };
        const info = await store(artifactParts, caller, sealed, artifact.content);
        reservation.commit();
        return info;
      } catch (thrown) {
        reservation.release();
        throw toArtifactError(thrown);
      }
    },
    async get(artifactKey) {
      const keys = KEY.test(artifactKey) ? await parts.directory.find(caller) : undefined;
      const entry = keys && (await readRow(parts, keys, artifactKey));
      if (!entry) return notFound();
      const name = { ns: keys.ns, id: entry.id };
      const bytes = await blobs
        .read(name)
        .catch((thrown: unknown) => Promise.reject(toArtifactError(thrown)));
      const content = bytes && openContent(name, sealedArtifactOf(entry), bytes);
      if (content) return { info: infoOf(entry), content };
      // It may have been deleted between the two reads.
      if (!(await readRow(parts, keys, artifactKey))) return notFound();
      throw new AppError('artifact_failed', 'The bytes of this artifact are missing or damaged.', {
        reason: bytes ? 'damaged' : 'missing_bytes',
        hint: 'Create it again; the storage lost or changed it.',
      });
    },
    async list({ filename = '', limit, cursor }) {
      const keys = await parts.directory.find(caller);
      const beforeSeq = cursor === undefined ? undefined : parseCursor(cursor);
      const search = filename.normalize('NFC').toLowerCase();
      const found: Entry[] = [];
      if (keys) {
        for await (const entry of walkEntries(parts, keys, {
          kinds: ['artifact'],
          newestFirst: true,
          beforeSeq,
        })) {
          if (!sealedArtifactOf(entry).filename.toLowerCase().includes(search)) continue;
          found.push(entry);
          if (found.length > limit) break;
        }
      }
      const artifacts = found.slice(0, limit);
      const more = found.length > limit && artifacts.length > 0;
      return {
        artifacts: artifacts.map(infoOf),
        ...(more ? { next_cursor: makeCursor(artifacts.at(-1)!) } : {}),
      };
    },
    async delete(artifactKey) {
      const keys = KEY.test(artifactKey) ? await parts.directory.find(caller) : undefined;
      if (!keys) return false;
      parts.limits.takeWrites(keys.ns, 1);
      const id = rowId(keys, 'artifact', artifactKey);
      const { deleted } = await parts.store.apply(keys, [{ type: 'delete', id }]);
      limits.invalidate(keys.ns);
      // The content key was deleted with the row, so bytes left behind are unreadable until collectOrphans deletes them.
      if (deleted > 0) await blobs.delete({ ns: keys.ns, id }).catch(() => undefined);
      return deleted > 0;
    },
  };
}

/** Writes the bytes first, then the row, so that a row never refers to missing bytes. */
async function store(
  { parts, blobs, beingWritten }: ArtifactParts,
  caller: Caller,
  sealed: SealedArtifact,
  content: Uint8Array,
): Promise<ArtifactInfo> {
  const key = `art_${randomBytes(16).toString('hex')}`;
  const written: { ns: Buffer; id: Buffer }[] = [];
  const plan = async (keys: NamespaceKeys) => {
    const name = { ns: keys.ns, id: rowId(keys, 'artifact', key) };
    written.push(name);
    beingWritten.add(blobPath(name));
    await blobs.write(name, sealContent(name, sealed.contentKey, content));
    const createdMs = parts.now();
    const entry = {
      id: name.id,
      kind: 'artifact',
      group: null,
      content: { key, value: JSON.stringify(sealed) },
      createdMs,
      updatedMs: createdMs,
      expiresMs: Math.floor(createdMs / 1000 + ARTIFACT_POLICY.ttlSeconds) * 1000,
    } as const;
    return { ops: [putOp(keys, entry, undefined)], result: { ...entry, key, value: entry.content.value } };
  };
  let stored = false;
  try {
    const result = await transact(parts, () => parts.directory.findOrCreate(caller), `artifact ${key}`, plan);
    stored = true;
    return infoOf(result);
  } finally {
    // A concurrent erase makes the plan run again under new keys; the bytes of the first attempt have no row.
    const orphans = stored ? written.slice(0, -1) : written;
    for (const name of orphans) await blobs.delete(name).catch(() => undefined);
    for (const name of written) beingWritten.delete(blobPath(name));
  }
}

async function readRow(parts: MemoryParts, keys: NamespaceKeys, key: string): Promise<Entry | undefined> {
  return readEntry(parts, keys, rowId(keys, 'artifact', key));
}

function infoOf(entry: Pick<Entry, 'key' | 'value' | 'createdMs' | 'expiresMs'>): ArtifactInfo {
  const { filename, contentType, kind, size } = JSON.parse(entry.value) as SealedArtifact;
  return {
    artifact_key: entry.key,
    filename,
    content_type: contentType,
    ...(kind === undefined ? {} : { kind }),
    size,
    created_at: isoMs(entry.createdMs),
    expires_at: isoSeconds(entry.expiresMs ?? 0),
  };
}

function notFound(): never {
  throw new AppError('not_found', 'There is no such artifact.', {
    hint: 'It may have expired; list your artifacts with the pack "artifact.list".',
  });
}

const makeCursor = ({ seq }: Entry) => Buffer.from(`a ${seq}`).toString('base64url');

function parseCursor(cursor: string): number {
  const seq = /^a (\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (seq === undefined)
    throw new AppError('invalid_input', 'This cursor belongs to a different list.', { reason: 'bad_cursor' });
  return Number(seq);
}
