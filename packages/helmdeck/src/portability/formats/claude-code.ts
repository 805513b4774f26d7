import type { Candidate, ForeignFormat } from '../candidate.ts';
import { keyPath } from '../content-key.ts';
import { parseMarkdown, textField } from '../reading/markdown.ts';
import { documentText } from '../reading/text-stream.ts';

const TYPES = ['user', 'feedback', 'project', 'reference'];
const CATEGORIES: Record<string, string> = {
  user: 'user_facts',
  feedback: 'preferences',
  project: 'project_facts',
  reference: 'references',
};

/** The auto-memory of Claude Code: one memory a file, with name, description and type. `MEMORY.md` only lists the others. */
export const claudeCode: ForeignFormat = {
  name: 'claude-code',
  detect: ({ name, head }) => {
    const document = parseMarkdown(head);
    if (textField(document, 'name') && TYPES.includes(textField(document, 'type') ?? '')) return true;
    return /(?:^|\/)MEMORY\.md$/.test(name) && /^- \[[^\]]+\]\([^)]+\.md\)/m.test(head);
  },
  async *read({ name: path, text, project }) {
    const document = parseMarkdown(await documentText(text));
    const type = textField(document, 'type') ?? '';
    const name = textField(document, 'name');
    if (!name || !TYPES.includes(type)) return;
    const description = textField(document, 'description');
    const body = document.body.trim();
    const value = !description || body.includes(description) ? body : `${description}\n\n${body}`.trim();
    const owner = project ?? /projects\/([^/]+)\/memory\//.exec(path)?.[1]?.split('-').at(-1);
    const folder = type === 'project' ? (owner ? ['project', owner] : ['project']) : [FOLDERS[type]!];
    const fact: Candidate = {
      key: keyPath(...folder, name),
      value: value || name,
      category: CATEGORIES[type]!,
      tags: ['claude-code'],
    };
    yield fact;
  },
};

const FOLDERS: Record<string, string> = { user: 'user', feedback: 'preferences', reference: 'reference' };
