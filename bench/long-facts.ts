import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildServer, startServer } from './child-server.ts';
import { loadCalls } from './load.ts';

// How long other requests wait while one caller stores and searches facts of 64 kB: with a small request to the same
// server beside each kind of search. Run it on a quiet machine; the first row, without a search, is what the machine adds.

const FACTS = 100;
const VALUE_BYTES = 65_000;
const SECONDS = 4;

const SENTENCES = {
  English:
    'Every release of the billing service goes out on Tuesday after a second engineer has read the change. ',
  German:
    'Größere Änderungen am Abrechnungsdienst prüft dienstags eine zweite Person, bevor sie ausgeliefert werden. ',
  Russian:
    'Каждый выпуск платёжной службы выходит во вторник после того, как изменение прочитал второй инженер. ',
  Japanese: '請求サービスのリリースは、二人目の技術者が変更を確認したあと、毎週火曜日に行われます。',
  Thai: 'การปล่อยบริการเรียกเก็บเงินทุกครั้งเกิดขึ้นในวันอังคารหลังจากวิศวกรคนที่สองอ่านการเปลี่ยนแปลงแล้ว ',
};

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-long-'));
const rows: { text: string; request: string; 'p50 ms': string; 'p99 ms': string; 'longest ms': string }[] =
  [];
try {
  for (const [name, sentence] of Object.entries(SENTENCES)) await measureLanguage(name, sentence);
} finally {
  rmSync(folder, { recursive: true });
}
console.table(rows);

async function measureLanguage(name: string, sentence: string): Promise<void> {
  const server = await startServer('./helmdeck-server.ts', {
    HELMDECK_DB: join(folder, name, 'bench.db'),
    HELMDECK_ADDR: '127.0.0.1:0',
    HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
    HELMDECK_JWT_SECRET: 'cd'.repeat(32),
    HELMDECK_RATE_LIMIT: 'off',
    HELMDECK_LOG_LEVEL: 'warn',
  });
  try {
    for (let number = 0; number < FACTS; number++) {
      const value = longValue(sentence, number);
      await send(server, '/api/v1/memory/store', { key: `note/${number}`, value });
    }
    const search = '/api/v1/memory/search?limit=100&q=needle';
    const recall = { query: 'needle', limit: 100 };
    await send(server, search);
    if (rows.length === 0) rows.push({ text: '', ...(await waits(server, 'none', async () => {})) });
    rows.push({ text: name, ...(await waits(server, 'search', () => send(server, search))) });
    rows.push({
      text: name,
      ...(await waits(server, 'filtered', () => send(server, `${search}&prefix=note`))),
    });
    const run = () => send(server, '/api/v1/packs/helmdeck.memory_recall', recall);
    rows.push({ text: name, ...(await waits(server, 'recall', run)) });
    let stored = FACTS;
    const store = () =>
      send(server, '/api/v1/memory/store', {
        key: `note/${stored % FACTS}`,
        value: longValue(sentence, stored++),
      });
    rows.push({ text: name, ...(await waits(server, 'store', store)) });
  } finally {
    server.child.disconnect();
  }
}

function longValue(sentence: string, number: number): string {
  let value = '';
  for (let at = 0; Buffer.byteLength(value) < VALUE_BYTES - 400; at++)
    value += `${sentence}${at === 50 ? 'needle' : number * 1_000 + at} `;
  return value;
}

async function send(server: ChildServer, path: string, body?: object): Promise<void> {
  const response = await fetch(server.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

/** How long a small request waits while two connections repeat the expensive one. */
async function waits(server: ChildServer, request: string, expensive: () => Promise<void>) {
  const busy = { until: true };
  const load = Promise.all(
    [0, 1].map(async () => {
      while (busy.until) await Promise.all([expensive(), new Promise((resolve) => setTimeout(resolve, 5))]);
    }),
  );
  const result = await loadCalls(1, SECONDS, () => send(server, '/healthz'));
  busy.until = false;
  await load;
  const round = (ms: number) => ms.toFixed(1);
  return {
    request,
    'p50 ms': round(result.p50Ms),
    'p99 ms': round(result.p99Ms),
    'longest ms': round(result.longestMs),
  };
}
