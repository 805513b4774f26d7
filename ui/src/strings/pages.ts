// Exported one by one, so that each page loads only its own.
export { agents } from './agents.ts';
export { connect } from './connect.ts';
export { drafts } from './drafts.ts';
export { firstMinute } from './first-minute.ts';
export { health } from './health.ts';
export { home } from './home.ts';
export { bulk, confirmForget, detail, editor, link, memory, merge, rules, undo } from './memory.ts';
export { ask, packForm, packRun, packs } from './packs.ts';
export { pipelines } from './pipelines.ts';
export { outcomes, routing } from './routing.ts';
export { signIn } from './session.ts';
export {
  ages,
  errors,
  keyboard,
  nav,
  notFound,
  other,
  palette,
  product,
  readOnly,
  readOnlyHint,
  server,
  signOut,
  spans,
  theme,
} from './shell.ts';
export { sources } from './sources.ts';
