import type { PagedArray } from '../index/paged-array.ts';
import { createImage, type Image } from './image.ts';

/** An image in the parts that threads can give each other without copying them. */
export interface ImageParts {
  lists: { pages: PagedArray['pages']; length: number }[];
  texts: { pages: readonly Uint8Array[]; lastUsed: number };
  totalLength: number;
}

/** Takes an image apart; it must have no dead documents and no vectors. Once `memory` is given away it is of no use. */
export function takeApart({ lists, documents, index }: Image): { parts: ImageParts; memory: ArrayBuffer[] } {
  const parts: ImageParts = {
    lists: lists.map(({ pages, length }) => ({ pages, length })),
    texts: { pages: documents.texts.pages, lastUsed: documents.texts.lastUsed() },
    totalLength: index.totalLength(),
  };
  const pages = [
    ...parts.lists.flatMap((list): Uint8Array[] => list.pages as Uint8Array[]),
    ...parts.texts.pages,
  ];
  return { parts, memory: pages.map((page) => page.buffer as ArrayBuffer) };
}

export function putTogether({ lists, texts, totalLength }: ImageParts): Image {
  const image = createImage();
  for (const [number, list] of image.lists.entries()) {
    list.adopt(lists[number]!.pages, lists[number]!.length);
  }
  image.documents.texts.adoptPages(texts.pages, texts.lastUsed);
  image.index.restore(totalLength);
  return image;
}
