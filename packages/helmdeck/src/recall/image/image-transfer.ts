import type { PagedArray } from '../index/paged-array.ts';
import { createImage, type Image } from './image.ts';

/** An image as buffers that can be transferred between threads without a copy. */
export interface ImageParts {
  lists: { pages: PagedArray['pages']; length: number }[];
  texts: { pages: readonly Uint8Array[]; lastUsed: number };
  totalLength: number;
}

/** Detaches the buffers of an image, which must have no dead documents and no vectors. Unusable once `memory` is transferred. */
export function detach({ lists, documents, index }: Image): { parts: ImageParts; memory: ArrayBuffer[] } {
  const parts: ImageParts = {
    lists: lists.map(({ pages, length }) => ({ pages, length })),
    texts: { pages: documents.texts.pages, lastUsed: documents.texts.lastUsed() },
    totalLength: index.totalLength(),
  };
  return { parts, memory: memoryOf(parts) };
}

/** The buffers to transfer. */
export function memoryOf({ lists, texts }: ImageParts): ArrayBuffer[] {
  const pages = [...lists.flatMap((list): Uint8Array[] => list.pages as Uint8Array[]), ...texts.pages];
  return pages.map((page) => page.buffer as ArrayBuffer);
}

/** Builds an image on transferred buffers. */
export function attach({ lists, texts, totalLength }: ImageParts): Image {
  const image = createImage();
  for (const [number, list] of image.lists.entries()) {
    list.adopt(lists[number]!.pages, lists[number]!.length);
  }
  image.documents.texts.adoptPages(texts.pages, texts.lastUsed);
  image.index.restore(totalLength);
  return image;
}
