import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { searchImage } from '../search.ts';
import { createImage, type Image } from './image.ts';
import { attach, detach } from './image-transfer.ts';

// What one thread has made, another must be able to search and to go on with as if it had made it itself.

const FACTS = 3_000;
const HOUR_MS = 3_600_000;
const idOf = new Map<string, Buffer>();

function put(image: Image, key: string, value: string, seq: number): void {
  if (!idOf.has(key)) idOf.set(key, randomBytes(16));
  const times = { createdMs: seq, updatedMs: seq, expiresMs: HOUR_MS };
  const content = Buffer.from(JSON.stringify({ key, value, category: 'c', tags: [] }));
  image.put({ id: idOf.get(key)!, kind: 'fact', seq, rev: 1, ...times }, content);
}

function found(image: Image, text: string) {
  const { hits } = searchImage(image, { text, limit: 5 }, { neighbours: () => [] }, 0);
  return hits.map(({ score, document }) => ({ score, key: document.key, value: document.value }));
}

/** As if it had come from another thread: its memory is moved, not copied. */
function handedOver(image: Image): Image {
  const { parts, memory } = detach(image);
  return attach(structuredClone(parts, { transfer: memory }));
}

function filled(): Image {
  const image = createImage();
  for (let number = 0; number < FACTS; number++) {
    put(
      image,
      `team/${number}`,
      `word${number} of many words ${'and more '.repeat(number % 50)}`,
      number + 1,
    );
  }
  return image;
}

it('a transferred image returns the same hits with the same scores, and has the same size', () => {
  const image = filled();
  const questions = ['word7', 'word2999 many', 'wrod77', 'team 12'];
  const expected = questions.map((question) => found(image, question));
  expect(expected[0]![0]).toMatchObject({ key: 'team/7' });
  const { bytes } = image;
  const other = handedOver(image);
  expect(questions.map((question) => found(other, question))).toEqual(expected);
  expect(other.bytes).toBe(bytes);
});

it('a transferred image can be changed: new facts are found, replaced and removed ones are not', () => {
  const image = handedOver(filled());
  put(image, 'later', 'xylophone lesson', FACTS + 1);
  put(image, 'team/7', 'trombone lesson', FACTS + 2);
  image.remove(image.find(idOf.get('team/8')!)!);
  expect(found(image, 'xylophone')[0]).toMatchObject({ key: 'later' });
  expect(found(image, 'trombone')[0]).toMatchObject({ key: 'team/7' });
  expect(found(image, 'word7')).not.toContainEqual(expect.objectContaining({ key: 'team/7' }));
  expect(found(image, 'word8')).not.toContainEqual(expect.objectContaining({ key: 'team/8' }));
  expect(image.index.liveDocuments()).toBe(FACTS);
  for (let number = 0; number < FACTS; number++)
    put(image, `more/${number}`, `another${number}`, 9_000 + number);
  expect(found(image, 'another2999')[0]).toMatchObject({ key: 'more/2999' });
});

it('an empty image can be transferred', () => {
  const image = handedOver(createImage());
  expect(found(image, 'anything')).toEqual([]);
  put(image, 'first', 'hello', 1);
  expect(found(image, 'hello')).toHaveLength(1);
});
