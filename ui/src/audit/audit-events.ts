import type { AuditRecord } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';

const text = strings.audit;
/** Reads with longer pauses are separate looks. */
const FOLD_MS = 5 * 60_000;

/** What happened: one record, or the reads of one look at a memory, newest first. */
export type AuditEvent = readonly [AuditRecord, ...AuditRecord[]];

/** Folds adjacent reads of one memory by one admin, since opening a single page takes several. */
export function foldReads(records: readonly AuditRecord[]): AuditEvent[] {
  const events: [AuditRecord, ...AuditRecord[]][] = [];
  for (const record of records) {
    const event = events.at(-1);
    if (event && continues(event.at(-1)!, record)) event.push(record);
    else events.push([record]);
  }
  return events;
}

function continues(later: AuditRecord, earlier: AuditRecord): boolean {
  return (
    later.action === 'read' &&
    earlier.action === 'read' &&
    later.actor === earlier.actor &&
    later.target === earlier.target &&
    Date.parse(later.at) - Date.parse(earlier.at) <= FOLD_MS
  );
}

/** The event in words: who, if that is known, and what they did. */
export function wordsOf(event: AuditEvent): { who?: string; did: string } {
  const { action, actor, target, detail = '' } = event[0];
  const other = target === actor ? undefined : target;
  switch (action) {
    case 'read':
      return { who: actor, did: text.looked(target ?? actor, event.length) };
    case 'forget':
      return { who: actor, did: text.forgot(/(\d+) deleted$/.exec(detail)?.[1] ?? '?', other) };
    case 'erase':
      return { who: actor, did: text.erased(other) };
    case 'login':
      return { who: actor, did: text.signedIn };
    case 'login.failed':
      return detail.startsWith('identity provider')
        ? { who: actor, did: text.notLetIn }
        : { did: text.notSignedIn };
    case 'application.allow':
      return { who: actor, did: text.allowed(detail) };
    case 'application.connect':
      return { who: actor, did: text.connected };
    case 'application.disconnect':
      return { who: actor, did: text.disconnected(/, because (.+)$/.exec(detail)?.[1]) };
    case 'inbox.decide':
      return { who: actor, did: text.decided(detail.replace(' accepted ', ' accepted, '), other) };
    case 'token.mint':
      return { who: actor, did: text.minted(other) };
    case 'token.revoke':
      return { who: actor, did: text.revoked(revokedCount(detail), other) };
    case 'clock.confirm':
      return { who: actor, did: text.confirmedClock };
    case 'callers.adopt':
      return { who: actor, did: text.adopted(detail) };
    case 'purge':
      return { who: actor, did: text.purged(detail) };
    case 'user.add':
      return { who: actor, did: text.addedUser(target ?? '') };
    case 'user.accept':
      return { who: actor, did: text.acceptedInvitation };
    case 'user.change':
      return { who: actor, did: text.changedUser(target ?? '', detail) };
    case 'user.reset':
      return { who: actor, did: text.resetUser(target ?? '') };
    case 'user.remove':
      return { who: actor, did: text.removedUser(target ?? '') };
    case 'password.change':
      return { who: actor, did: text.changedPassword };
    case 'space.list':
      return { who: actor, did: text.listedSpaces };
    case 'space.add':
      return { who: actor, did: text.addedSpace(target ?? '') };
    case 'space.change':
      return { who: actor, did: text.changedSpace(target ?? '') };
    case 'space.erase':
      return { who: actor, did: text.erasedSpace(target ?? '') };
    case 'space.grant':
      return { who: actor, did: text.granted(detail, target ?? '') };
    case 'space.revoke':
      return { who: actor, did: text.tookBack(detail, target ?? '') };
  }
}

/** Of `jti …`, `jti … and 2 minted with it`, `issued until … 3 revoked`. */
function revokedCount(detail: string): string {
  const minted = / and (\d+) minted with it$/.exec(detail)?.[1];
  return minted === undefined ? (/(\d+) revoked$/.exec(detail)?.[1] ?? '1') : String(Number(minted) + 1);
}
