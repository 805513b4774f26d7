import type { FactInput, ProposedStore, StoreAnswer } from '../../../client/generated/rest.ts';
import { AppError } from '../../../errors.ts';
import type { Connection } from '../deps.ts';
import { callServer } from '../server-request.ts';
import { fieldOf } from './front-matter.ts';
import type { FolderFile, MemoryFolder } from './memory-folder.ts';
import { type Fact, type FactSelection, selectFacts } from './select-facts.ts';
import { hashOf, readState, type SyncedFact, writeState } from './sync-state.ts';

// Three-way synchronisation: each side is compared with what both had after the last run.

export interface SyncAction {
  key: string;
  did: 'stored' | 'wrote' | 'forgot' | 'deleted' | 'proposed' | 'left';
  /** Why it was left as it is. */
  why?: string;
}

export interface SyncRequest {
  folder: MemoryFolder;
  selection: FactSelection;
  stateFile: string;
}

/** Claude Code's types of memories that are told at every start. */
const CATEGORY_OF_TYPE: Record<string, string> = { user: 'profile', feedback: 'preferences' };

/** Brings a memory folder and the selected facts together; returns what it did. */
export async function syncFolder(
  connection: Connection,
  { folder, selection, stateFile }: SyncRequest,
): Promise<SyncAction[]> {
  const state = await readState(stateFile);
  const facts = await selectFacts(connection, selection);
  const known = new Set([...state.keys(), ...facts.keys()]);
  const files = new Map((await folder.read(known)).map((file) => [file.key, file]));
  const actions: SyncAction[] = [];
  for (const key of [...new Set([...known, ...files.keys()])].sort()) {
    const sides = { key, file: files.get(key), fact: facts.get(key), base: state.get(key) };
    const { action, synced } = await syncOne(connection, folder, sides, selection.project);
    if (synced) state.set(key, synced);
    else state.delete(key);
    if (action) actions.push(action);
  }
  if (actions.some(({ did }) => did !== 'left')) await folder.writeIndex(known);
  await writeState(stateFile, state);
  return actions;
}

interface Sides {
  key: string;
  file: FolderFile | undefined;
  fact: Fact | undefined;
  base: SyncedFact | undefined;
}

interface Outcome {
  action?: SyncAction;
  /** What both sides have now. */
  synced: SyncedFact | undefined;
}

async function syncOne(
  connection: Connection,
  folder: MemoryFolder,
  sides: Sides,
  project: string | undefined,
): Promise<Outcome> {
  const { file, fact, base } = sides;
  const isFileChanged = file !== undefined && hashOf(file.body) !== base?.hash;
  const isFactChanged = fact !== undefined && fact.version !== base?.version;
  if (!file && !fact) return { synced: undefined };
  if (file && fact) {
    if (file.body === fact.value) return { synced: same(file.body, fact.version, base) };
    if (isFileChanged && isFactChanged) return propose(connection, folder, { ...sides, file, fact });
    if (isFileChanged) return store(connection, { ...sides, file }, project);
    return isFactChanged ? write(folder, { ...sides, fact }) : { synced: base };
  }
  if (file)
    return isFileChanged
      ? store(connection, { ...sides, file }, project)
      : factIsGone(folder, { ...sides, file });
  return isFactChanged || !base ? write(folder, { ...sides, fact: fact! }) : fileIsGone(connection, sides);
}

const same = (text: string, version: number, base: SyncedFact | undefined): SyncedFact => ({
  hash: hashOf(text),
  version,
  ...(base?.fromFile ? { fromFile: true } : {}),
});

async function write(
  folder: MemoryFolder,
  { key, file, fact, base }: Sides & { fact: Fact },
): Promise<Outcome> {
  if (!(await folder.write(key, fact.value, file))) return { synced: base };
  return { action: { key, did: 'wrote' }, synced: same(fact.value, fact.version, base) };
}

async function store(
  connection: Connection,
  { key, file, fact, base }: Sides & { file: FolderFile },
  project: string | undefined,
): Promise<Outcome> {
  const category = fact ? undefined : CATEGORY_OF_TYPE[fieldOf(file, 'type') ?? ''];
  const body = { key, value: file.body, category, project, if_version: fact?.version ?? 0 };
  const answer = await send(connection, body);
  if (answer instanceof AppError) return left(key, answer.message, base);
  const synced = { hash: hashOf(file.body), version: fact?.version };
  if (answer.status === 'declined') return left(key, 'This text was declined before.', synced);
  if (answer.status !== 'active') return { action: { key, did: 'proposed', why: answer.reason }, synced };
  const isNew = answer.created || base?.fromFile;
  return {
    action: { key, did: 'stored' },
    synced: { ...synced, version: answer.version, ...(isNew ? { fromFile: true } : {}) },
  };
}

/** Both sides changed: the fact stays, and the text of the file waits in the inbox before it is overwritten. */
async function propose(
  connection: Connection,
  folder: MemoryFolder,
  sides: Sides & { file: FolderFile; fact: Fact },
): Promise<Outcome> {
  const { key, file, fact, base } = sides;
  const answer = await send(connection, { key, value: file.body, propose: true });
  if (answer instanceof AppError) return left(key, answer.message, base);
  if (answer.status === 'declined')
    return left(key, 'Its text was declined before, and differs from the fact.', base);
  if (!(await folder.write(key, fact.value, file))) return { synced: base };
  return {
    action: { key, did: 'proposed', why: 'both changed' },
    synced: same(fact.value, fact.version, base),
  };
}

/** The fact was forgotten or has expired: only a file that sync wrote goes, too. Another one is not stored again. */
async function factIsGone(
  folder: MemoryFolder,
  { key, file, base }: Sides & { file: FolderFile },
): Promise<Outcome> {
  // Without a version it was never a fact: its text waits in the inbox.
  if (!file.isOurs || base?.version === undefined) return { synced: { hash: hashOf(file.body) } };
  if (!(await folder.remove(file))) return { synced: base };
  return { action: { key, did: 'deleted' }, synced: undefined };
}

/** The file was deleted: only a fact that came from it is forgotten. Another one is not written again until it changes. */
async function fileIsGone(connection: Connection, { key, fact, base }: Sides): Promise<Outcome> {
  if (!base?.fromFile) return { synced: { version: fact!.version } };
  await callServer(connection, 'DELETE /api/v1/memory/facts/{key}', { path: { key } });
  return { action: { key, did: 'forgot' }, synced: undefined };
}

const left = (key: string, why: string, synced: SyncedFact | undefined): Outcome => ({
  action: { key, did: 'left', why },
  synced,
});

/** A refused text is reported and left where it is; other failures end the run. */
async function send(
  connection: Connection,
  body: FactInput,
): Promise<StoreAnswer | ProposedStore | AppError> {
  try {
    return await callServer(connection, 'POST /api/v1/memory/store', { body });
  } catch (thrown) {
    const isRefused =
      thrown instanceof AppError &&
      ['invalid_input', 'secret_detected', 'precondition_failed', 'payload_too_large'].includes(thrown.code);
    if (!isRefused) throw thrown;
    return thrown;
  }
}
