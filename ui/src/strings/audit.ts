import type { AuditRecord } from '../api/generated/rest.ts';

/** The page with the access audit. */
const auditStrings = {
  audit: {
    lead: 'Who looked at whose memory, what was forgotten, who signed in, and which tokens were made. Names and counts only, for 400 days.',
    adminsOnly: 'Only admins see the access audit.',
    failed: 'The audit could not be read.',
    when: 'When',
    what: 'What happened',
    record: (n: number) => `#${n}`,
    between: (from: string, to: string) => `${from} – ${to}`,
    more: 'Show older',
    none: 'Nothing is recorded yet.',
    noneFits: 'No record fits these filters.',
    filters: 'Filters',
    actor: 'Who',
    target: 'Whose',
    action: 'What',
    anyone: 'Anyone',
    anything: 'Anything',
    clear: 'Clear filters',
    actions: {
      read: 'Looked at a memory',
      forget: 'Forgot',
      erase: 'Erased everything',
      'inbox.decide': 'Decided on proposals',
      login: 'Signed in',
      'login.failed': 'Failed to sign in',
      'token.mint': 'Made a token',
      'token.revoke': 'Revoked tokens',
      'application.allow': 'Allowed an application',
      'application.connect': 'Connected an application',
      'application.disconnect': 'Disconnected an application',
      'user.add': 'Added an account',
      'user.accept': 'Accepted an invitation',
      'user.change': 'Changed an account',
      'user.reset': 'Reset a password',
      'user.remove': 'Removed an account',
      'password.change': 'Changed a password',
      'space.list': 'Listed all spaces',
      'space.add': 'Made a space',
      'space.change': 'Changed the quotas of a space',
      'space.erase': 'Erased a space',
      'space.grant': 'Gave access to a space',
      'space.revoke': 'Took access to a space',
      'clock.confirm': 'Confirmed the clock',
      'callers.adopt': 'Adopted callers',
      purge: 'Deleted unreadable rows',
    } satisfies Record<AuditRecord['action'], string>,
    /** What the actor did; the sentence begins with the name of the actor. */
    looked: (target: string, reads: number) =>
      `looked at ${target.startsWith('space ') ? `the ${target}` : `${target}’s memory`}${reads === 1 ? '' : ` (${reads} reads)`}`,
    forgot: (count: string, target: string | undefined) =>
      `forgot ${count === '1' ? '1 entry' : `${count} entries`}${target === undefined ? '' : ` of ${target}`}`,
    erased: (target: string | undefined) =>
      target === undefined ? 'erased their own memory' : `erased the memory of ${target}`,
    signedIn: 'signed in',
    notSignedIn: 'A sign-in with a wrong name or password was refused',
    notLetIn: 'was refused after the sign-in with the identity provider',
    allowed: (detail: string) => `allowed the ${detail}`,
    connected: 'connected an application that they had allowed',
    disconnected: (why: string | undefined) =>
      why === undefined
        ? 'disconnected an application'
        : `had an application disconnected by the server, because ${why}`,
    decided: (counts: string, target: string | undefined) =>
      `decided on proposals${target === undefined ? '' : ` of the ${target}`}: ${counts}`,
    minted: (target: string | undefined) =>
      target === undefined ? 'made a token' : `made a token for ${target}`,
    revoked: (count: string, target: string | undefined) =>
      `revoked ${count === '1' ? 'a token' : `${count} tokens`}${target === undefined ? '' : ` of ${target}`}`,
    confirmedClock: 'confirmed that the clock of the server is right',
    adopted: (detail: string) => `let the identity provider take over ${detail}`,
    purged: (detail: string) => `deleted rows that no key opens (${detail})`,
    addedUser: (target: string) => `added an account for ${target}`,
    acceptedInvitation: 'accepted the invitation and set a password',
    changedUser: (target: string, detail: string) => `changed the account of ${target}: ${detail}`,
    resetUser: (target: string) => `ended the password of ${target} and made a new link`,
    removedUser: (target: string) => `removed the account of ${target}`,
    changedPassword: 'changed their password',
    listedSpaces: 'listed all spaces',
    addedSpace: (target: string) => `made the ${target}`,
    changedSpace: (target: string) => `changed the quotas of the ${target}`,
    erasedSpace: (target: string) => `erased the ${target}`,
    granted: (detail: string, target: string) => `gave access to the ${target}: ${detail}`,
    tookBack: (detail: string, target: string) => `took access to the ${target} from ${detail}`,
    verified: 'Chain verified',
    verifiedText: (records: number) =>
      `${records === 1 ? 'The one record is' : `All ${records.toLocaleString('en')} records are`} there, unchanged and in order: each holds a hash of the one before. This finds changed and missing records; it cannot find a chain that was rewritten as a whole by a person with the memory key.`,
    broken: 'The chain is broken.',
    brokenText: (records: number) =>
      `${records.toLocaleString('en')} records before that are intact. Compare with a backup.`,
    verifying: 'Checking the chain …',
    verifyAgain: 'Check again',
  },
} as const;

export const { audit } = auditStrings;
