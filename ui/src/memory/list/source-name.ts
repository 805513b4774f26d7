import type { Source } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';

/** The name of a client or a surface as people know it. */
export const nameOfSource = (name: string): string => strings.sources[name] ?? name;

export const sourceName = (source: Source | undefined): string =>
  nameOfSource(source?.client ?? source?.surface ?? '');
