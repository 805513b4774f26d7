import { hasHiddenCharacters } from '../../memory/facts/hidden-characters.ts';

// The graph of `@modelcontextprotocol/server-memory` as facts: one for each entity, one for each relation. Imports and the
// MCP endpoint that speaks its tools share this form, so what was imported is in the graph. Names are in the keys,
// without loss; the values are readable, because they are recalled like any other fact:
//
//   entities/Ada                      Ada (person)
//                                     - Leads the platform team
//   relations/Ada/works_with/Grace    Ada works with Grace

export interface GraphEntity {
  name: string;
  entityType: string;
  observations: string[];
}

export interface GraphRelation {
  from: string;
  to: string;
  relationType: string;
}

/** Every fact of a graph has this tag. */
export const GRAPH_TAG = 'server-memory';

interface GraphFact {
  key: string;
  value: string;
  tags: string[];
}

const ENTITIES = 'entities';
const RELATIONS = 'relations';

export const entityKey = (name: string) => `${ENTITIES}/${segment(name)}`;
export const relationKey = ({ from, relationType, to }: GraphRelation) =>
  [RELATIONS, ...[from, relationType, to].map(segment)].join('/');

export function entityFact({ name, entityType, observations }: GraphEntity): GraphFact {
  const lines = observations.map((text) => `- ${quoted(text)}`);
  return {
    key: entityKey(name),
    value: [`${oneLine(name)} (${entityType && quoted(entityType)})`, ...lines].join('\n'),
    tags: [GRAPH_TAG],
  };
}

/** The entity that a fact holds; undefined if it is not one of an entity. A person may have edited its text. */
export function entityOf({ key, value }: { key: string; value: string }): GraphEntity | undefined {
  const [folder, name, ...rest] = key.split('/').map(unescaped);
  if (folder !== ENTITIES || !name || rest.length > 0) return undefined;
  const [header = '', ...lines] = value.split('\n');
  const start = `${oneLine(name)} (`;
  const hasHeader = header.startsWith(start) && header.endsWith(')');
  return {
    name,
    entityType: hasHeader ? unquoted(header.slice(start.length, -1)) : '',
    observations: (hasHeader ? lines : [header, ...lines])
      .filter(Boolean)
      .map((line) => unquoted(line.replace(/^- /, ''))),
  };
}

export function relationFact(relation: GraphRelation): GraphFact {
  const words = [relation.from, relation.relationType.replaceAll('_', ' '), relation.to];
  return { key: relationKey(relation), value: words.map(oneLine).join(' '), tags: [GRAPH_TAG] };
}

/** The relation that a key names; undefined if it is not one of a relation. */
export function relationOf(key: string): GraphRelation | undefined {
  const [folder, from, relationType, to, ...rest] = key.split('/').map(unescaped);
  if (folder !== RELATIONS || !from || !relationType || !to || rest.length > 0) return undefined;
  return { from, to, relationType };
}

/** A text as one line that stays the same in a value, which is trimmed. */
function quoted(text: string): string {
  const isPlain = text !== '' && text === text.trim() && !/^"|\n/.test(text);
  return isPlain ? text : JSON.stringify(text);
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

const MAX_NAME_CHARS = 2_048;

/**
 * A name as one segment of a key. Keys are NFC and show every character, so a name that is not or does not is encoded as
 * a whole. A name that is far too long is, too: normalising combining marks is quadratic.
 */
function segment(name: string): string {
  const text = name.toWellFormed();
  const isReadable =
    text.length <= MAX_NAME_CHARS &&
    text === text.normalize('NFC') &&
    !/\p{C}/u.test(text) &&
    !hasHiddenCharacters(text);
  return isReadable ? text.replaceAll(/[%/]|^\s+|\s+$/g, encodeURIComponent) : encodeURIComponent(text);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
