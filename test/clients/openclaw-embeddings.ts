import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startEmbeddingsServer } from '../support/embeddings-server.ts';
import { check, eventually } from './checks.ts';
import { createOpenClawHome, type OpenClawHome } from './openclaw-home.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/howto/openclaw-memory.md');
const RECIPE = /config set memory\.search '(\{.*\})' --strict-json/g;
/** OpenClaw indexes in the background, which takes minutes on a busy machine. */
const INDEXED_WITHIN_MS = 300_000;
const SIDECAR = 'http://helmdeck-embeddings:11434/v1';

/** Runs the commands of the documentation page about embeddings with the OpenClaw version it names. */
export async function openclawEmbeddings(version: string): Promise<void> {
  const recipes = [...readFileSync(PAGE, 'utf8').matchAll(RECIPE)].map(([, json]) => json!);
  const embeddings = await startEmbeddingsServer();
  const home = await createOpenClawHome(
    version,
    { models: { catalogRefresh: { enabled: false } } },
    { OPENAI_API_KEY: 'none', EMBEDDINGS_KEY: 'none' },
  );
  const set = async (recipe: string) => {
    const { code, all } = await home.run('config', 'set', 'memory.search', recipe, '--strict-json');
    assert.equal(code, 0, all);
  };
  try {
    await check('OpenClaw accepts every setting of the page', async () => {
      assert.equal(recipes.length, 4);
      for (const recipe of recipes) await set(recipe);
      assert.match((await home.run('config', 'validate')).all, /Config valid/);
    });
    await check('OpenClaw rejects memory.backend "qmd", as the page says', async () => {
      const { code, all } = await home.run('config', 'set', 'memory.backend', 'qmd');
      assert.notEqual(code, 0);
      assert.match(all, /backend/);
    });
    await check('OpenClaw finds a local note by its meaning with the embeddings sidecar', async () => {
      const sidecar = recipes.find((recipe) => recipe.includes(SIDECAR))!;
      await set(sidecar.replace(SIDECAR, embeddings.url));
      await home.startGateway();
      await eventually(
        () => foodAllergies(home),
        (paths) => paths.some((path) => path.endsWith('food.md')),
        INDEXED_WITHIN_MS,
      );
      assert.ok(embeddings.requests.some(({ model }) => model === 'nomic-embed-text'));
    });
  } finally {
    await home.remove();
    await embeddings.close();
  }
}

/** Searches with words that the note about peanuts does not contain. */
async function foodAllergies(home: OpenClawHome): Promise<string[]> {
  const { results = [] } = await home.invoke('memory_search', { query: 'food allergies' });
  return results.map(({ path }) => path);
}
