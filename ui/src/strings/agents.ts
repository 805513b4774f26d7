/** What agents see. */
export const agents = {
  lead: 'The notes its next conversation begins with, what a prompt would get, and what it asked so far.',
  notes: 'The next conversation begins with',
  size: (facts: number, chars: number) =>
    `${facts === 1 ? '1 fact' : `${facts} facts`}, about ${Math.max(1, Math.round(chars / 4))} tokens`,
  folder: 'In the folder (its name brings related facts in)',
  folderExample: 'my-project',
  notesHint:
    'Agents connected with --auto-recall get exactly this text; it is data for them, never a command.',
  prompt: 'A prompt would get',
  promptLabel: 'What you or the agent would ask',
  toldBefore: 'Told before the prompt is read',
  toldTrivial: 'Nothing: the prompt asks for nothing.',
  toldNothing: 'Nothing: no fact fits well enough.',
  ifAsked: 'Given if the agent asks this itself',
  promptExample: 'how do we deploy',
  nothing: 'Nothing fits well enough: the agent would be told that nothing is known.',
  asked: 'What agents asked',
  askedFor: 'last 7 days',
  failed: 'This could not be loaded. Try again in a moment.',
} as const;
