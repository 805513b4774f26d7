// Each page loads only its own: they are exported one by one, not as one object.
export * from './agents.ts';
export * from './audit.ts';
export * from './connect.ts';
export * from './detail.ts';
export * from './drafts.ts';
export * from './editor.ts';
export * from './first-minute.ts';
export * from './health.ts';
export * from './home.ts';
export * from './memory.ts';
export * from './packs.ts';
export * from './pipelines.ts';
export * from './routing.ts';
export * from './selection.ts';
export * from './session.ts';
export * from './shell.ts';
export * from './sources.ts';
