import type { Source } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';

/** The display name of a client or a surface. */
export const nameOfSource = (name: string): string => strings.sources[name] ?? name;

export const sourceName = (source: Source | undefined): string =>
  nameOfSource(source?.client ?? source?.surface ?? '');
