import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../packages/helmdeck/src');
const MAX_LINES = 300;

interface SourceFile {
  path: string;
  text: string;
  isTest: boolean;
  /** Files of this source tree, as paths like `memory/facts.ts`. */
  imports: string[];
  packages: string[];
}

// `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`.
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"\n]+)['"]/g;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

function importsOf(path: string, text: string): { imports: string[]; packages: string[] } {
  const imports: string[] = [];
  const packages: string[] = [];
  for (const [, name] of text.replace(COMMENT, '').matchAll(IMPORT)) {
    if (!name!.startsWith('.')) packages.push(name!);
    else imports.push(relative(SRC, resolve(SRC, dirname(path), name!)).replaceAll(sep, '/'));
  }
  return { imports, packages };
}

const FILES: SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll(sep, '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(SRC, path), 'utf8');
    return { path, text, isTest: path.endsWith('.test.ts'), ...importsOf(path, text) };
  });
const PRODUCT = FILES.filter((file) => !file.isTest);

const ROOMS = ['memory', 'stores', 'recall', 'engine', 'packs', 'vault', 'artifacts', 'surfaces', 'server'];
/** What each room may import besides itself and errors.ts; everything sees what it stands on, nothing looks up. */
const MAY_SEE: Record<string, readonly string[]> = {
  memory: [],
  stores: ['memory'],
  recall: ['memory'],
  engine: ['memory'],
  vault: ['memory'],
  artifacts: ['memory'],
  packs: ['memory', 'recall', 'engine', 'vault', 'artifacts'],
  surfaces: ['memory', 'recall', 'engine', 'packs', 'vault', 'artifacts'],
  server: ROOMS,
  testing: [...ROOMS, 'testing'],
};

const roomOf = (path: string) => (path.includes('/') ? path.split('/')[0]! : '');
/** `rest`, `cli`, … for files in a subfolder of surfaces; '' for the files they share. */
const surfaceOf = (path: string) => /^surfaces\/([^/]+)\//.exec(path)?.[1] ?? '';

function problemsOf(file: SourceFile): string[] {
  const room = roomOf(file.path);
  const problems: string[] = [];
  for (const target of file.imports) {
    const to = roomOf(target);
    const say = (why: string) => problems.push(`${file.path} imports ${target}: ${why}`);
    if (target === 'errors.ts') continue;
    if (file.path === 'index.ts') continue;
    if (target === 'index.ts') say('only users of the package import index.ts');
    else if (to !== room && !(MAY_SEE[room] ?? []).includes(to)) say(`${room || 'src'} must not see ${to}`);
    else if (room === 'surfaces' && to === 'surfaces') {
      const [from, into] = [surfaceOf(file.path), surfaceOf(target)];
      if (into !== '' && from !== into) say('surfaces do not import each other');
    }
  }
  return problems;
}

describe('the rooms of the source', () => {
  it('are read at all: a broken reader would let everything pass', () => {
    expect(PRODUCT.length).toBeGreaterThan(40);
    expect(FILES.find(({ path }) => path === 'server/build.ts')!.imports).toContain('surfaces/rest/app.ts');
    expect(FILES.find(({ path }) => path === 'stores/open.ts')!.imports).toContain('stores/sqlite.ts');
    const bad = importsOf(
      'memory/x.ts',
      "import { a } from '../stores/open.ts';\nawait import('../server/b.ts')",
    );
    const file = { path: 'memory/x.ts', text: '', isTest: false, ...bad };
    expect(problemsOf(file)).toHaveLength(2);
    const across = {
      ...file,
      path: 'surfaces/mcp/x.ts',
      imports: ['surfaces/rest/app.ts', 'surfaces/auth.ts'],
    };
    expect(problemsOf(across)).toEqual([
      'surfaces/mcp/x.ts imports surfaces/rest/app.ts: surfaces do not import each other',
    ]);
  });

  it('import only downwards: memory ← stores, recall, engine ← packs ← surfaces ← server', () => {
    expect(PRODUCT.flatMap(problemsOf)).toEqual([]);
  });

  it('contain every source file', () => {
    const homeless = PRODUCT.filter(({ path }) => !(roomOf(path) in MAY_SEE)).map(({ path }) => path);
    expect(homeless.sort()).toEqual(['errors.ts', 'index.ts']);
  });

  it('keep the domain pure: memory needs only crypto and a timer of Node', () => {
    const allowed = ['node:crypto', 'node:timers/promises'];
    const outside = PRODUCT.filter(({ path }) => roomOf(path) === 'memory').flatMap(({ path, packages }) =>
      packages.filter((name) => !allowed.includes(name)).map((name) => `${path} imports ${name}`),
    );
    expect(outside).toEqual([]);
    expect(FILES.find(({ path }) => path === 'errors.ts')!.packages).toEqual([]);
  });

  it('have no import cycles', () => {
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

  it('import files that exist', () => {
    const known = new Set(FILES.map(({ path }) => path));
    const missing = FILES.flatMap(({ path, imports }) =>
      imports.filter((target) => target.endsWith('.ts') && !known.has(target)).map((t) => `${path} → ${t}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('house style', () => {
  it(`has no source file over ${MAX_LINES} lines`, () => {
    const long = PRODUCT.filter(({ path }) => !path.includes('generated'))
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  it('names files for what they hold, never utils, helpers, common, misc, manager or types', () => {
    const vague = /(^|[/-])(utils?|helpers?|common|misc|managers?|types)\.ts$/;
    expect(FILES.map(({ path }) => path).filter((path) => vague.test(path))).toEqual([]);
  });

  it('reads the environment in server/config.ts and server/main.ts only', () => {
    const readers = PRODUCT.filter(({ text }) => /\bprocess\s*\.\s*env\b|\bprocess\[/.test(text));
    const allowed = ['server/config.ts', 'server/main.ts'];
    expect(readers.map(({ path }) => path).filter((path) => !allowed.includes(path))).toEqual([]);
  });

  it('exports by name', () => {
    const unnamed = PRODUCT.filter(({ text }) => /^export\s+default\b|\bas\s+default\b/m.test(text));
    expect(unnamed.map(({ path }) => path)).toEqual([]);
  });
});
