import { afterAll, describe, expect, it } from 'vitest';
import { createBuiltinEmbedder } from './builtin-embedder.ts';
import { EmbeddingError } from './embedder.ts';

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

  it('a query overtakes queued documents', async () => {
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
  it('missing packages reject with the command to install them', async () => {
    const packages = { engine: '@nobody/engine', model: '@nobody/model' };
    const without = createBuiltinEmbedder({ packages });
    const failures = [without.embed(['a'], 'query'), without.embed(['b', 'c'], 'document')];
    for (const failure of failures)
      await expect(failure).rejects.toMatchObject({
        kind: 'refused',
        message: 'The packages of the built-in model are not installed.',
        fix: 'Run "npm install @nobody/engine @nobody/model" beside Helmdeck.',
      });
    await expect(without.embed(['again'], 'query')).rejects.toBeInstanceOf(EmbeddingError);
    await without.close();
  });

  it('packages of another kind reject as refused', async () => {
    const strange = createBuiltinEmbedder({ packages: { engine: 'node:path', model: 'node:os' } });
    await expect(strange.embed(['a'], 'query')).rejects.toMatchObject({ kind: 'refused' });
    await strange.close();
  });

  it('a worker that died is replaced', async () => {
    // An engine that ends its thread on a certain text.
    const engine = `data:text/javascript,export const createEmbedder = async () => ({ embed: async ([text]) => {
      if (text === 'die') process.exit(1);
      if (text === 'throw') throw new Error(text);
      return [[3, 4]];
    } })`;
    const fragile = createBuiltinEmbedder({
      packages: { engine, model: 'data:text/javascript,export default {}' },
    });
    await expect(fragile.embed(['die', 'innocent'], 'document')).rejects.toMatchObject({
      kind: 'unreachable',
    });
    expect(await fragile.embed(['fine'], 'query')).toEqual([Float32Array.of(0.6, 0.8)]);
    await expect(fragile.embed(['fine', 'throw'], 'document')).rejects.toMatchObject({ kind: 'rubbish' });
    await fragile.close();
    await expect(fragile.embed(['fine'], 'query')).rejects.toMatchObject({ kind: 'timeout' });
  });
});
