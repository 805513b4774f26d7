import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from './pack.ts';
import { createPackRegistry } from './pack-registry.ts';

const pack = (changes: object = {}) =>
  definePack({
    name: 'test.pack',
    version: 'v1',
    description: 'For a test.',
    input: z.object({ n: z.number().default(1).describe('a number') }),
    output: z.object({ n: z.number() }),
    handler: ({ input }: { input: { n: number } }) => ({ n: input.n }),
    ...changes,
  });

describe('definePack', () => {
  it.each([
    [{ name: 'Test' }, 'name'],
    [{ name: 'test..pack' }, 'name'],
    [{ name: 'a'.repeat(65) }, 'name'],
    [{ name: '../x' }, 'name'],
    [{ version: '1' }, 'version'],
    [{ version: 'v0' }, 'version'],
    [{ handler: undefined }, 'handler'],
    [{ deadlineMs: 0 }, 'deadlineMs'],
    [{ deadlineMs: Number.NaN }, 'deadlineMs'],
    [{ memory: { cache: {} } }, 'ttlSeconds'],
    [{ memory: { cache: { ttlSeconds: 0 } } }, 'nothing is cached forever'],
    [{ memory: { cache: { ttlSeconds: Number.POSITIVE_INFINITY } } }, 'ttlSeconds'],
    [{ memory: { cache: { ttlSeconds: 5, staleSeconds: -1 } } }, 'staleSeconds'],
    [{ memory: { capture: { prefix: '', ttlSeconds: 5 } } }, 'prefix'],
    [{ memory: { capture: { prefix: 'a' } } }, 'ttlSeconds'],
    [{ metadata: { intent_keywords: 'one text' } }, 'metadata.intent_keywords'],
    [{ metadata: { accepts: [1] } }, 'metadata.accepts'],
    [{ metadata: { typical_use: ['x'] } }, 'metadata.typical_use'],
    [{ input: z.string() }, 'object'],
    [{ output: z.object({ n: z.string().transform(Number) }) }, 'JSON Schema'],
  ])('definePack refuses %j with the reason', (changes, why) => {
    expect(() => pack(changes)).toThrow(why);
  });

  it('a pack has its input and output as JSON Schema', () => {
    const { inputSchema, outputSchema } = pack();
    expect(inputSchema).toEqual({
      type: 'object',
      properties: { n: { default: 1, description: 'a number', type: 'number' } },
    });
    expect(outputSchema).toMatchObject({ type: 'object', required: ['n'] });
  });

  it('the definition hash changes with any part of the definition', () => {
    const hashes = [
      pack(),
      pack({ version: 'v2' }),
      pack({ memory: { cache: { ttlSeconds: 5 } } }),
      pack({ output: z.object({ n: z.int() }) }),
      pack({ handler: () => ({ n: 5 }) }),
    ].map(({ definitionHash }) => definitionHash);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(pack().definitionHash).toBe(hashes[0]);
  });
});

describe('the pack registry', () => {
  it('the registry sorts versions and returns the latest by default', () => {
    const registry = createPackRegistry([pack({ version: 'v10' }), pack({ version: 'v2' }), pack()]);
    expect(registry.versions('test.pack').map(({ version }) => version)).toEqual(['v1', 'v2', 'v10']);
    expect(registry.get('test.pack').version).toBe('v10');
    expect(registry.get('test.pack', 'v2').version).toBe('v2');
    registry.unregister('test.pack', 'v10');
    expect(registry.get('test.pack').version).toBe('v2');
    const again = pack({ description: 'newer' });
    registry.register(again);
    expect(registry.get('test.pack', 'v1')).toBe(again);
    expect(registry.names()).toEqual(['test.pack']);
    expect(() => registry.get('__proto__')).toThrow('no such pack');
    expect(() => registry.get('constructor')).toThrow('no such pack');
  });
});
