import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../packages/helmdeck/src');
const MAX_LINES = 400;
const MAX_FILES_IN_FOLDER = 25;

interface SourceFile {
  path: string;
  text: string;
  isTest: boolean;
  /** Files of this source tree, as paths like `memory/facts/validate-fact.ts`. */
  imports: string[];
  packages: string[];
  /** Those of `imports` that only types are imported from. */
  typeImports: Set<string>;
}

// `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`.
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"\n]+)['"]/g;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

const TYPE_IMPORT = /^import type [^;]*? from ['"]([^'"\n]+)['"]/gm;

function importsOf(path: string, text: string): Pick<SourceFile, 'imports' | 'packages' | 'typeImports'> {
  const imports: string[] = [];
  const packages: string[] = [];
  const inTree = (name: string) => relative(SRC, resolve(SRC, dirname(path), name)).replaceAll(sep, '/');
  for (const [, name] of text.replace(COMMENT, '').matchAll(IMPORT)) {
    if (!name!.startsWith('.')) packages.push(name!);
    else imports.push(inTree(name!));
  }
  const typeImports = new Set([...text.matchAll(TYPE_IMPORT)].map(([, name]) => inTree(name!)));
  return { imports, packages, typeImports };
}

const FILES: SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll(sep, '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(SRC, path), 'utf8');
    return { path, text, isTest: path.endsWith('.test.ts'), ...importsOf(path, text) };
  });
const PRODUCT = FILES.filter((file) => !file.isTest);

const LAYERS = [
  'runtime',
  'memory',
  'identity',
  'stores',
  'recall',
  'advice',
  'engine',
  'packs',
  'vault',
  'artifacts',
  'portability',
  'surfaces',
  'server',
];
/** What each layer may import besides itself and errors.ts. Dependencies point downwards only. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  client: [],
  adapters: ['client'],
  runtime: [],
  memory: ['runtime'],
  identity: ['runtime', 'memory'],
  stores: ['runtime', 'memory'],
  recall: ['runtime', 'memory'],
  advice: ['runtime', 'memory', 'recall'],
  engine: ['runtime', 'memory'],
  vault: ['runtime', 'memory'],
  artifacts: ['runtime', 'memory'],
  portability: ['runtime', 'memory'],
  packs: ['runtime', 'memory', 'recall', 'engine', 'vault', 'artifacts'],
  surfaces: [
    'client',
    'runtime',
    'memory',
    'identity',
    'recall',
    'engine',
    'packs',
    'vault',
    'artifacts',
    'portability',
  ],
  server: LAYERS,
  testing: [...LAYERS, 'testing'],
};
/** Layers whose types, but not values, a layer may import. */
const MAY_IMPORT_TYPES: Record<string, readonly string[]> = { runtime: ['memory'] };

const layerOf = (path: string) => (path.includes('/') ? path.split('/')[0]! : '');
/** `rest`, `cli`, … for a file of one surface; '' for `http/` and the other files that all surfaces share. */
const surfaceOf = (path: string) => /^surfaces\/(?!http\/)([^/]+)\//.exec(path)?.[1] ?? '';

function problemsOf(file: SourceFile): string[] {
  const layer = layerOf(file.path);
  const problems: string[] = [];
  const mayImport = (to: string, typesOnly: boolean) =>
    to === layer ||
    (MAY_IMPORT[layer] ?? []).includes(to) ||
    (typesOnly && (MAY_IMPORT_TYPES[layer] ?? []).includes(to));
  for (const target of file.imports) {
    const to = layerOf(target);
    const report = (why: string) => problems.push(`${file.path} imports ${target}: ${why}`);
    if (target === 'errors.ts') continue;
    if (file.path === 'index.ts') continue;
    if (target === 'index.ts') report('only users of the package import index.ts');
    else if (!mayImport(to, file.typeImports.has(target)))
      report(`${layer || 'src'} must not depend on ${to}`);
    else if (layer === 'surfaces' && to === 'surfaces') {
      const [from, into] = [surfaceOf(file.path), surfaceOf(target)];
      if (into !== '' && from !== into) report('surfaces do not import each other');
    }
  }
  return problems;
}

describe('the layers of the source', () => {
  it('the architecture test reads source files and imports, so that it cannot pass by reading nothing', () => {
    expect(PRODUCT.length).toBeGreaterThan(40);
    expect(FILES.find(({ path }) => path === 'server/build.ts')!.imports).toContain(
      'surfaces/rest/routes.ts',
    );
    expect(FILES.find(({ path }) => path === 'stores/open.ts')!.imports).toContain('stores/sqlite/store.ts');
    const bad = importsOf(
      'memory/x.ts',
      "import { a } from '../stores/open.ts';\nawait import('../server/b.ts')",
    );
    const file = { path: 'memory/x.ts', text: '', isTest: false, ...bad };
    expect(problemsOf(file)).toHaveLength(2);
    const across = {
      ...file,
      path: 'surfaces/mcp/x.ts',
      imports: ['surfaces/rest/routes.ts', 'surfaces/http/auth.ts'],
    };
    expect(problemsOf(across)).toEqual([
      'surfaces/mcp/x.ts imports surfaces/rest/routes.ts: surfaces do not import each other',
    ]);
  });

  it('layers import only downwards: runtime ← memory ← stores, recall, engine ← packs ← surfaces ← server', () => {
    expect(PRODUCT.flatMap(problemsOf)).toEqual([]);
  });

  it('every source file is in a layer', () => {
    const outside = PRODUCT.filter(({ path }) => !(layerOf(path) in MAY_IMPORT)).map(({ path }) => path);
    expect(outside.sort()).toEqual(['errors.ts', 'index.ts']);
  });

  it('the memory layer imports only crypto and a timer of Node', () => {
    const allowed = ['node:crypto', 'node:timers/promises'];
    const outside = PRODUCT.filter(({ path }) => layerOf(path) === 'memory').flatMap(({ path, packages }) =>
      packages.filter((name) => !allowed.includes(name)).map((name) => `${path} imports ${name}`),
    );
    expect(outside).toEqual([]);
    expect(FILES.find(({ path }) => path === 'errors.ts')!.packages).toEqual([]);
  });

  it('the client imports nothing but its own files, so that it runs in browsers and in every runtime', () => {
    const client = PRODUCT.filter(({ path }) => layerOf(path) === 'client');
    expect(client.length).toBeGreaterThan(4);
    const outside = client.flatMap(({ path, imports, packages }) =>
      [...packages, ...imports.filter((target) => layerOf(target) !== 'client')].map(
        (to) => `${path} → ${to}`,
      ),
    );
    expect(outside).toEqual([]);
  });

  it('the source has no import cycles', () => {
    const graph = new Map(PRODUCT.map(({ path, imports }) => [path, imports]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]) => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      if (done.has(path) || trail.includes(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('every import names an existing file', () => {
    const known = new Set(FILES.map(({ path }) => path));
    const missing = FILES.flatMap(({ path, imports }) =>
      imports.filter((target) => target.endsWith('.ts') && !known.has(target)).map((t) => `${path} → ${t}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('house style', () => {
  it(`no source file has more than ${MAX_LINES} lines`, () => {
    const long = PRODUCT.filter(({ path }) => !path.includes('generated'))
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  it(`no source folder has more than ${MAX_FILES_IN_FOLDER} files`, () => {
    const counts = new Map<string, number>();
    for (const { path } of FILES) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, files]) => files > MAX_FILES_IN_FOLDER)).toEqual([]);
  });

  it('no file is named utils, helpers, common, misc, manager or types', () => {
    const vague = /(^|[/-])(utils?|helpers?|common|misc|managers?|types)\.ts$/;
    expect(FILES.map(({ path }) => path).filter((path) => vague.test(path))).toEqual([]);
  });

  it('only the configuration and the entries of programs read the environment', () => {
    const readers = PRODUCT.filter(({ text }) => /\bprocess\s*\.\s*env\b|\bprocess\[/.test(text));
    const allowed = [
      'server/config/config.ts',
      'server/process/main.ts',
      'server/process/hook.ts',
      'server/bundles/hook.ts',
      'server/bundles/mcp.ts',
    ];
    expect(readers.map(({ path }) => path).filter((path) => !allowed.includes(path))).toEqual([]);
  });

  it('no module has a default export', () => {
    const unnamed = PRODUCT.filter(({ text }) => /^export\s+default\b|\bas\s+default\b/m.test(text));
    expect(unnamed.map(({ path }) => path)).toEqual([]);
  });
});
