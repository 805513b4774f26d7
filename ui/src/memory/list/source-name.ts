import type { Source } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';

/** The display name of a client or a surface. */
export const nameOfSource = (name: string): string => strings.sources[name] ?? name;

/** The program that a text came from; in a space the person before it. */
export function sourceName(source: Source | undefined): string {
  const program = nameOfSource(source?.client ?? source?.surface ?? '');
  return source?.by === undefined ? program : strings.detail.writtenBy(source.by, program);
}
