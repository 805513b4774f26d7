/** Connecting an application over OAuth. */
const consentStrings = {
  consent: {
    title: (name: string) => `Connect ${name}?`,
    pageTitle: 'Connect an application',
    lead: 'It asks for access to your memory on this server.',
    vouchedBy: 'Vouched for by',
    nobody: 'Nobody: it chose this name itself',
    sendsTo: 'Sends you to',
    thisComputer: 'A program on this computer',
    opener: (scheme: string) => `The program that opens ${scheme} links`,
    memory: 'Memory',
    address: 'Address',
    rights: 'It may',
    scopes: {
      'memory:read': ['Read your memory', 'Search and read every fact.'],
      'memory:write': ['Write to your memory', 'Store, change and forget facts.'],
      'memory:propose': ['Suggest facts', 'They wait in your inbox until you accept them.'],
      'packs:run': ['Run packs', 'Use the tools of this server.'],
      'pipelines:run': ['Run pipelines', 'Run several packs in sequence.'],
      'vault:read': ['Use your secrets', 'Packs that it runs may send secrets of your vault.'],
      'vault:write': ['Change your secrets', 'Store and replace secrets in your vault.'],
    } as Record<string, readonly [string, string]>,
    allow: 'Allow',
    deny: 'Deny',
    busy: 'Connecting…',
    until: 'Until you disconnect it on the Connect page, or it is not used for 90 days.',
    refused: 'This request cannot be allowed',
    unknown: 'This request cannot be answered',
    unknownHint: 'Nobody was given access. Close this page and connect again from the application.',
    back: 'Go back without connecting',
    sent: 'You can close this page now.',
    signedInAs: (subject: string) => `Signed in as ${subject}.`,
    other: 'Not you?',
  },
} as const;

export const { consent } = consentStrings;
