import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowserPlace } from '../test/e2e-ui/browser-place.ts';
import { storeSampleMemory } from '../test/e2e-ui/sample-memory.ts';
import { fillRunHistory, type Gates, makePacksFolder, runSamples } from '../test/e2e-ui/sample-runs.ts';

// Pictures of every page over sample data: `npm run ui:screenshots [folder]`.

const folder = resolve(process.argv[2] ?? 'docs/images');
mkdirSync(folder, { recursive: true });
const PAGES: Record<string, string> = {
  memory: '/?q=deploy+konflux&key=konflux%2Fdeploy',
  routing: '/routing',
  packs: '/packs?pack=release.write_notes',
  pipeline: '/packs?pipeline=PIPELINE',
  connect: '/connect',
  health: '/health',
};
const LOOKS = {
  'desktop-light': { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  'desktop-dark': { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  'phone-light': {
    colorScheme: 'light',
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  },
} as const;

async function runOpenPack(page: Page): Promise<void> {
  const work =
    'We moved the last service to Konflux on Friday. Deploys are now signed, and four minutes faster.';
  await page.getByLabel('source_content').fill(work);
  await page.keyboard.press('Control+Enter');
}

let gates: Gates | undefined;
const place = await openBrowserPlace(async ({ dir, env }) => {
  gates = makePacksFolder(dir);
  Object.assign(env, { HELMDECK_PACKS_DIR: gates.folder, HELMDECK_MEMORY_KEY: 'a'.repeat(64) });
  await fillRunHistory(env);
});
try {
  await storeSampleMemory(place);
  const pipeline = await runSamples(place, gates!);
  for (const [look, options] of Object.entries(LOOKS)) {
    const { page, context, complaints } = await place.open('/', options);
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(place.server.url + path.replace('PIPELINE', pipeline));
      if (name === 'packs') await runOpenPack(page);
      await page.waitForTimeout(900);
      await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
    }
    await context.clearCookies();
    await page.goto(place.server.url);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `login-${look}.png`) });
    for (const complaint of complaints) console.error(`${look}: ${complaint}`);
    await context.close();
  }
} finally {
  await place.close();
}
