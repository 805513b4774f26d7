// Ordinary prompts around a question. {question} stands for it as it is, {Question} for it with a capital letter.

const LOG = `2026-11-02T10:14:03.118Z INFO  [worker-3] picked up batch 8841 (212 rows)
2026-11-02T10:14:03.480Z WARN  [worker-3] row 17: empty address, skipped
2026-11-02T10:14:05.002Z ERROR [worker-3] batch 8841 failed: upstream timed out
    at Retry.run (/app/lib/retry.js:41:13)
    at async Worker.flush (/app/lib/worker.js:88:5)
2026-11-02T10:14:05.003Z INFO  [worker-3] retrying in 2000 ms`;

const CODE = `\`\`\`ts
export async function loadBasket(id: string): Promise<Basket> {
  const rows = await query('select * from basket_line where basket_id = $1', [id]);
  if (rows.length === 0) throw new NotFoundError(id);
  return { id, lines: rows.map(toLine), total: rows.reduce((sum, row) => sum + row.price, 0) };
}
\`\`\``;

const DIFF = `\`\`\`diff
-  const label = user.name;
+  const label = user.nickname ?? user.name;
   return <span className="avatar">{label}</span>;
\`\`\``;

export const DEVELOPMENT_SHAPES: Record<string, string> = {
  bare: '{question}',
  greeting: 'Hi there! {Question}? Thanks a lot!',
  'quick question': 'quick question before I forget: {question}',
  'after a statement': "I'm back from lunch and picking this up again. {Question}?",
  'before a task':
    '{Question}? Once you know, please rename the helper in basket.ts and update the callers. No hurry.',
  'inside a task':
    'Please add a loading state to the basket page, with a spinner that fades in after 200 ms. {Question}? Keep the markup accessible and do not touch the header.',
  'with code': `${CODE}\n\nThis is what we have so far. {question}`,
  'code between': `{Question}?\n\n${CODE}\n\nI would like to split loadBasket into two functions.`,
  'with a log': `{Question}? I am asking because of this:\n\n${LOG}`,
  'log first': `${LOG}\n\nIgnore the noise above. {question}`,
  'as a list':
    'Three things:\n1. the avatar should fall back to initials\n2. {question}\n3. the footer has a typo ("conditons")',
  'in a clause': 'while you look at the avatar component, {question}?',
};

/** Not used to tune anything. */
export const HELD_BACK_SHAPES: Record<string, string> = {
  diff: `Could you review this small change?\n\n${DIFF}\n\nAlso, {question}?`,
  'long story':
    'Yesterday evening I spent two hours with the newcomer in our office, who had never seen a debugger before, and we ended up talking about everything and nothing. In the end they asked me something that I could not answer off the top of my head: {question}. I promised to come back to them this morning, so a short and friendly reply is all I need.',
  polite: 'Good morning, I hope you slept well :) Could you tell me, {question}? Much appreciated!',
  imperative: 'Stop for a second and answer this first — {question} — then carry on with the spinner.',
  'paste with paths':
    'src/basket/load.ts\nsrc/basket/total.ts\nsrc/avatar/initials.tsx\n\nThese three are done. {Question}?',
  'yaml first':
    '```yaml\nspinner:\n  delay: 200\n  fade: true\n```\nLooks fine to me. One more thing: {question}',
};

export function wrapped(shape: string, question: string): string {
  const capital = question[0]!.toUpperCase() + question.slice(1);
  return shape.replaceAll('{question}', () => question).replaceAll('{Question}', () => capital);
}
