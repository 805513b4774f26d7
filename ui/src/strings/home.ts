const facts = (count: number) => (count === 1 ? '1 fact' : `${count} facts`);

/** What happened since the last visit. */
export const home = {
  title: 'Since your last visit',
  close: 'Close',
  since: (time: string) => `since ${time}`,
  sum(learned: number, changed: number, disagree: number, more: boolean): string {
    const parts = [
      ...(learned > 0 ? [`learned ${learned}${more ? '+' : ''} ${learned === 1 ? 'thing' : 'things'}`] : []),
      ...(changed > 0 ? [`changed ${changed}`] : []),
      ...(disagree > 0 ? [`disagree about ${disagree}`] : []),
    ];
    if (parts.length === 0) return 'Your agents learned nothing new.';
    const last = parts.pop()!;
    return `Your agents ${parts.length > 0 ? `${parts.join(', ')} and ${last}` : last}.`;
  },
  waiting: (count: number) => (count === 1 ? '1 proposal waits' : `${count} proposals wait`),
  due: (count: number) => `${facts(count)} to review`,
  disagreements: 'These contradict each other',
  learned: 'Learned',
  changed: 'Changed',
  ends: 'Ends this week',
  endsIn: (time: string) => `${time} left`,
  asked: 'What agents asked',
  noneAsked: 'No agent has asked anything in the last 7 days.',
  searchAgain: 'Search for this',
  questionHidden: '(a question that looked like a credential)',
  given: (count: number, ms: number) =>
    `${count === 0 ? 'nothing found' : `given ${facts(count)}`} in ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`,
  gone: (count: number) => `${facts(count)} gone since`,
  why: 'why',
  whyGone: 'The fact has changed since: it would not be found now.',
  andMore: (count: number) => `and ${count} more`,
  here: 'here',
  merge: 'Merge…',
  bothRight: 'Both are right',
  settled: 'Settled: both are right',
  settleFailed: 'That both are right could not be saved.',
} as const;
