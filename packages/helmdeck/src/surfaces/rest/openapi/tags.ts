/** The groups of operations, in the order of the documentation page. */
export const TAGS = {
  Facts: 'What agents remember: text under a key, with versions, tags and an expiry.',
  Search: 'Finding facts from a few words.',
  Overview: 'Counts, summaries and changes of a memory, without values.',
  Inbox: 'Texts that wait for a person before they become facts, and decisions on them.',
  Spaces: 'Memories that several people share: who may do what there, and copying facts into them.',
  Tiers: 'The same memory by agent and tier: working, episodic, semantic, procedural.',
  Forget: 'Deleting by scope, up to everything of a caller, with a signed receipt.',
  Move: 'Export and import of facts, and what conversations say that is worth remembering.',
  Packs: 'Tools that run on the server, their jobs and sessions.',
  Pipelines: 'Packs in sequence: definitions, runs and their events.',
  Identity: 'Signing in, and tokens with scopes.',
  People: 'Accounts: who may sign in, with which role, and what each one uses.',
  OAuth: 'How applications such as claude.ai and ChatGPT get tokens, if HELMDECK_PUBLIC_URL is set.',
  Admin: 'Callers, the access audit, backups and the clock.',
  Server: 'Health, readiness, version and metrics.',
} as const;

export type Tag = keyof typeof TAGS;
