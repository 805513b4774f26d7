import { AppError } from '../../errors.ts';
import { type GateMode, type ScreenedText, screenedText } from './gate.ts';
import { type ScreenFinding, screenTextInSteps } from './screen/screen.ts';

// Writes that change a text without going through the gate: tags, category and project of a fact, and the edits of a
// person who accepts a proposal. Such a change cannot wait in the inbox, so one that the screen finds is refused.

/** Refuses tags, a category or a project that make a fact read like an instruction to a model. */
export async function assertHarmlessLabels(
  mode: GateMode,
  before: ScreenedText,
  after: ScreenedText,
): Promise<void> {
  const { tags: oldTags = [], category: oldCategory, project: oldProject } = before;
  const { tags = [], category, project } = after;
  const added = tags.filter((tag) => !oldTags.includes(tag));
  const newCategory = category === oldCategory ? undefined : category;
  const newProject = project === oldProject ? undefined : project;
  const isNew = added.length > 0 || newCategory !== undefined || newProject !== undefined;
  if (mode === 'open' || !isNew) return;
  const finding = await findingIn(after);
  if (!finding) return;
  // A person may have let the fact in as it was; then the labels must be harmless by themselves.
  const labels = { key: '', value: '', tags: added, category: newCategory, project: newProject };
  if (!(await findingIn(before)) || (await findingIn(labels))) refuse(finding);
}

/** Refuses edits that make a harmless proposal suspicious. One that is quarantined was shown with a warning. */
export async function assertHarmlessEdits(
  mode: GateMode,
  proposed: ScreenedText,
  edited: ScreenedText,
): Promise<void> {
  const finding = mode === 'open' ? undefined : await findingIn(edited);
  if (finding && !(await findingIn(proposed))) refuse(finding);
}

const findingIn = (text: ScreenedText) => screenTextInSteps(screenedText(text));

function refuse({ rule, reason }: ScreenFinding): never {
  throw new AppError(
    'invalid_input',
    `The change was refused: ${reason[0]!.toLowerCase()}${reason.slice(1)}`,
    {
      reason: `screen:${rule}`,
      hint: 'Use other words. To keep the text as it is, store it: it then waits in the inbox for a person.',
    },
  );
}
