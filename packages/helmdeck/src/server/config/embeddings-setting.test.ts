import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEmbedder } from '../create-embedder.ts';
import { loadConfig } from './config.ts';
import { ConfigError } from './config-values.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-embeddings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OLLAMA = 'http://127.0.0.1:11434/v1';
const load = (url?: string, model?: string, more: Record<string, string> = {}) =>
  loadConfig({
    HELMDECK_DATA_DIR: folder,
    HELMDECK_EMBEDDINGS_URL: url,
    HELMDECK_EMBEDDINGS_MODEL: model,
    ...more,
  });
const parts = { fetch: globalThis.fetch, now: Date.now };
const idOf = (url?: string, model?: string) => createEmbedder(load(url, model).config, parts)?.id;

describe('HELMDECK_EMBEDDINGS_URL', () => {
  it('HELMDECK_EMBEDDINGS_URL selects no embedder, the built-in model or an endpoint', () => {
    expect(idOf()).toBeUndefined();
    expect(idOf(undefined, 'a-model-without-a-url')).toBeUndefined();
    expect(idOf('builtin')).toBe('builtin:all-MiniLM-L6-v2');
    expect(idOf('builtin', 'all-MiniLM-L6-v2')).toBe('builtin:all-MiniLM-L6-v2');
    expect(idOf(OLLAMA, 'nomic-embed-text')).toBe('openai:nomic-embed-text');
  });

  it('HELMDECK_EMBEDDINGS_URL loses its trailing slash, and the API key can be read from a file', () => {
    const path = join(folder, 'key');
    writeFileSync(path, 'sk-from-file\n');
    const { config, effective } = load(`${OLLAMA}/`, 'm', { HELMDECK_EMBEDDINGS_API_KEY_FILE: path });
    expect(config.embeddings).toEqual({
      provider: 'openai',
      baseUrl: OLLAMA,
      model: 'm',
      apiKey: 'sk-from-file',
    });
    expect(JSON.stringify(effective)).not.toContain('sk-from-file');
  });

  it.each([
    ['a URL without a model', OLLAMA, undefined, 'HELMDECK_EMBEDDINGS_MODEL'],
    ['builtin and another model', 'builtin', 'nomic-embed-text', 'HELMDECK_EMBEDDINGS_MODEL'],
    ['a control character in the model name', OLLAMA, 'a\nb', 'HELMDECK_EMBEDDINGS_MODEL'],
    ['a model name of 201 characters', OLLAMA, 'x'.repeat(201), 'HELMDECK_EMBEDDINGS_MODEL'],
    ['neither builtin nor a URL', 'ollama', 'm', 'HELMDECK_EMBEDDINGS_URL'],
  ])('HELMDECK_EMBEDDINGS_URL is refused with %s', (_name, url, model, variable) => {
    expect(() => load(url, model)).toThrow(ConfigError);
    expect(() => load(url, model)).toThrow(variable);
  });

  it('errors about embeddings settings contain neither the API key nor a password of the URL', () => {
    const [key, word] = ['sk-with space', 'pass-word'];
    const wrong = () => load(OLLAMA, 'm', { HELMDECK_EMBEDDINGS_API_KEY: key });
    expect(wrong).toThrow('HELMDECK_EMBEDDINGS_API_KEY');
    expect(wrong).not.toThrow(key);
    expect(() => load(`http://me:${word}@h/v1`, 'm')).not.toThrow(word);
  });
});
