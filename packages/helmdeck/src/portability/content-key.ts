import { createHash } from 'node:crypto';
import { slug } from '../memory/harvest/statement-key.ts';

const MAX_WORDS = 6;

/** A key for a text that has none: the first words of it. The same text has the same key in every import. */
export function contentKey(folder: string, text: string): string {
  const words = (text.match(/[\p{L}\p{N}][\p{L}\p{N}'+.-]*/gu) ?? []).slice(0, MAX_WORDS);
  return `${folder}/${slug(words.join(' ')) || shortHash(text)}`;
}

/** A path of names, each made plain. */
export function keyPath(...names: string[]): string {
  return names.map(slug).filter(Boolean).join('/');
}

/** Tells texts apart that would have the same key. */
export function distinctKey(key: string, text: string): string {
  return `${key}-${shortHash(text)}`;
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 6);
