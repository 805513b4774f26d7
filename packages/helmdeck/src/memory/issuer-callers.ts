import { AppError } from '../errors.ts';
import { everyNamespace, isSystem } from './crypto/namespace-record.ts';
import { rowId } from './crypto/sealed.ts';
import { type MemoryParts, putOp, readEntry, transact } from './memory.ts';
import { type Caller, isSameCaller, namespaceOf } from './namespace.ts';

/** Which callers of before belong to the identity provider: all but the admin, none, or the named subjects. */
export type Adoption = 'all' | 'none' | readonly string[];

export interface IssuerCallers {
  /** The caller that a token's subject is: the memory that its issuer adopted, if there is one. */
  callerOf(caller: Caller): Caller;
  /** Callers that may belong to the issuer while the operator has not decided; its tokens must not be accepted until then. */
  readonly undecided: number;
  /** How many were adopted just now. */
  readonly adoptedNow: number;
}

interface Decision {
  adopted: { tenant?: string; subject: string }[];
}

/**
 * Subjects of an identity provider have namespaces of their own. Before that was so they had those of local subjects, so
 * an operator decides once per issuer which existing callers it adopts. Nothing is moved: the decision is a sealed record.
 */
export async function openIssuerCallers(
  parts: MemoryParts,
  options: { issuer: string; adopt: Adoption | undefined; adminUsername: string },
): Promise<IssuerCallers> {
  const { issuer, adopt } = options;
  let decision = await readDecision(parts, issuer);
  const adoptedBefore = decision?.adopted.length ?? 0;
  const names = typeof adopt === 'object' ? adopt : [];
  const isNamed = ({ subject }: { subject: string }) => names.includes(subject);
  const isAdopted = (name: string) => decision?.adopted.some(({ subject }) => subject === name);
  if (!decision || !names.every(isAdopted)) {
    const existing = await localCallers(parts);
    const others = existing.filter((each) => !isSameCaller(each, { subject: options.adminUsername }));
    if (!decision && adopt === undefined && others.length > 0) {
      return { undecided: others.length, adoptedNow: 0, callerOf: refusing(issuer) };
    }
    decision = await decide(parts, issuer, adopt === 'all' ? others : existing.filter(isNamed));
  }
  const adopted = new Map(
    decision.adopted.map((local) => [mapKey({ issuer, ...local }), local satisfies Caller]),
  );
  const adoptedNow = decision.adopted.length - adoptedBefore;
  return { undecided: 0, adoptedNow, callerOf: (caller) => adopted.get(mapKey(caller)) ?? caller };
}

const mapKey = (caller: Caller) => namespaceOf(caller).toString('latin1');

const refusing =
  (issuer: string) =>
  (caller: Caller): Caller => {
    if (caller.issuer !== issuer) return caller;
    throw new AppError('memory_unavailable', 'It is not decided whose memory this token is about.', {
      reason: 'issuer_undecided',
      hint: 'The operator must set HELMDECK_JWT_ADOPT.',
    });
  };

async function readDecision(parts: MemoryParts, issuer: string): Promise<Decision | undefined> {
  const { system } = parts.directory;
  const entry = await readEntry(parts, system, rowId(system, 'issuer', issuer));
  return entry && (JSON.parse(entry.value) as Decision);
}

/** Adds to the decision for an issuer; the first one also records that it was made. */
function decide(parts: MemoryParts, issuer: string, adopted: Decision['adopted']): Promise<Decision> {
  const { system } = parts.directory;
  return transact(
    parts,
    async () => system,
    'issuer-callers',
    async (keys) => {
      const id = rowId(keys, 'issuer', issuer);
      const before = await readEntry(parts, keys, id);
      const known = before ? (JSON.parse(before.value) as Decision).adopted : [];
      const added = adopted.filter((each) => !known.some((other) => isSameCaller(each, other)));
      const result: Decision = { adopted: [...known, ...added] };
      if (before && added.length === 0) return { ops: [], result };
      const nowMs = parts.now();
      const times = { createdMs: before?.createdMs ?? nowMs, updatedMs: nowMs, expiresMs: null };
      const content = { key: issuer, value: JSON.stringify(result) };
      return { ops: [putOp(keys, { id, kind: 'issuer', group: null, content, ...times }, before)], result };
    },
  );
}

/** Callers with a memory that are subjects of this server's own tokens, or were before issuers were kept apart. */
async function localCallers(parts: MemoryParts): Promise<Decision['adopted']> {
  const found = new Map<string, Decision['adopted'][number]>();
  for await (const record of everyNamespace(parts.store)) {
    if (isSystem(record)) continue;
    const caller = await parts.directory.callerOf(record.ns).catch(() => undefined);
    if (!caller || caller.subject === undefined || caller.issuer !== undefined) continue;
    const { tenant, subject } = caller;
    found.set(mapKey(caller), tenant === undefined ? { subject } : { tenant, subject });
  }
  return [...found.values()];
}
