import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packExtension } from '@anthropic-ai/mcpb';
import { rolldown } from 'rolldown';

// Everything that is published, in dist/: the npm packages, the bundle for Claude Desktop, the plugin for Claude Code with
// its marketplace, the extension for Gemini CLI, and server.json for the MCP registry. The repository must be built.
// `--out <folder>` writes elsewhere.

const ROOT = resolve(import.meta.dirname, '..');
const INTEGRATIONS = join(ROOT, 'integrations');
const BUNDLES = join(ROOT, 'packages/helmdeck/src/server/bundles');

type Json = Record<string, unknown>;
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const writeJson = (path: string, value: object) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

const about = readJson(join(ROOT, 'packages/helmdeck/package.json')) as {
  version: string;
  homepage: string;
  license: string;
  mcpName: string;
  name: string;
  repository: { url: string };
};
const { version } = about;
/** The repository as a page; package.json is the only place that names it. */
const repositoryUrl = about.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

/** Bundles one program into one file that needs nothing but Node 20. */
async function bundle(name: 'hook' | 'mcp', file: string): Promise<void> {
  const build = await rolldown({ input: join(BUNDLES, `${name}.ts`), platform: 'node', logLevel: 'silent' });
  await build.write({ file, format: 'esm', codeSplitting: false, comments: { legal: true } });
  await build.close();
}

function run(command: string, args: readonly string[], cwd: string): void {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr || done.error}`);
}

/** Copies a folder of integrations/, without what only the repository needs, and adds the licence. */
function copyIntegration(name: string, target: string): void {
  cpSync(join(INTEGRATIONS, name), target, { recursive: true });
  cpSync(join(ROOT, 'LICENSE'), join(target, 'LICENSE'));
}

/** Rewrites a manifest with the version and addresses of this package. */
function complete(path: string, more: Json): void {
  writeJson(path, { ...readJson(path), version, ...more });
}

function packNpm(out: string): void {
  // Built already, so the package's own build step is left out.
  for (const workspace of ['packages/helmdeck', 'integrations/openclaw']) {
    cpSync(join(ROOT, 'LICENSE'), join(ROOT, workspace, 'LICENSE'));
    run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', out], join(ROOT, workspace));
  }
}

async function packClaudeDesktop(out: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-mcpb-'));
  try {
    copyIntegration('claude-desktop', folder);
    complete(join(folder, 'manifest.json'), {
      homepage: about.homepage,
      documentation: `${repositoryUrl}/blob/main/docs/howto/connect/claude-desktop.md`,
      support: `${repositoryUrl}/issues`,
      repository: { type: 'git', url: `${repositoryUrl}.git` },
    });
    await bundle('mcp', join(folder, 'server/mcp.mjs'));
    const file = join(out, `helmdeck-${version}.mcpb`);
    if (!(await packExtension({ extensionPath: folder, outputPath: file, silent: true })))
      throw new Error('The bundle for Claude Desktop is not valid; "npx mcpb validate" says why.');
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A marketplace with one plugin: `claude plugin marketplace add ./dist/claude-code`. */
async function packClaudeCode(out: string): Promise<void> {
  const plugin = join(out, 'claude-code/plugins/helmdeck');
  copyIntegration('claude-code', plugin);
  const manifest = join(plugin, '.claude-plugin/plugin.json');
  complete(manifest, { homepage: about.homepage, repository: repositoryUrl });
  await bundle('hook', join(plugin, 'hook.mjs'));
  const { name, description, author, keywords } = readJson(manifest);
  mkdirSync(join(out, 'claude-code/.claude-plugin'));
  writeJson(join(out, 'claude-code/.claude-plugin/marketplace.json'), {
    name: 'helmdeck',
    owner: author,
    description: 'The plugin of Helmdeck, a memory server that you run yourself',
    plugins: [{ name, source: './plugins/helmdeck', description, category: 'productivity', keywords }],
  });
  run('tar', ['-czf', `helmdeck-claude-code-${version}.tar.gz`, 'claude-code'], out);
}

async function packGeminiCli(out: string): Promise<void> {
  const extension = join(out, 'gemini-cli/helmdeck');
  copyIntegration('gemini-cli', extension);
  complete(join(extension, 'gemini-extension.json'), {});
  await bundle('hook', join(extension, 'hook.mjs'));
  run(
    'tar',
    ['-czf', join(out, `helmdeck-gemini-cli-${version}.tar.gz`), ...readdirSync(extension)],
    extension,
  );
}

/** What the MCP registry lists. A package is identified by its name on npm, a bundle by the address of the release and its hash. */
function writeServerJson(out: string, bundleFile: string): void {
  const target = join(out, 'server.json');
  cpSync(join(INTEGRATIONS, 'mcp-registry/server.json'), target);
  const { $schema, title, description, packages } = readJson(target);
  const [npm, mcpb] = packages as [Json, Json];
  const bundleName = `helmdeck-${version}.mcpb`;
  writeJson(target, {
    $schema,
    name: about.mcpName,
    title,
    description,
    version,
    websiteUrl: about.homepage,
    repository: { url: repositoryUrl, source: 'github' },
    packages: [
      { ...npm, identifier: about.name, version, registryBaseUrl: 'https://registry.npmjs.org' },
      {
        ...mcpb,
        identifier: `${repositoryUrl}/releases/download/v${version}/${bundleName}`,
        version,
        fileSha256: sha256(bundleFile),
      },
    ],
  });
}

const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

const { values } = parseArgs({ options: { out: { type: 'string', default: join(ROOT, 'dist') } } });
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
packNpm(out);
const bundleFile = await packClaudeDesktop(out);
await packClaudeCode(out);
await packGeminiCli(out);
writeServerJson(out, bundleFile);
const files = readdirSync(out).filter((name) => /\.(tgz|tar\.gz|mcpb|json)$/.test(name));
writeFileSync(join(out, 'SHA256SUMS'), files.map((name) => `${sha256(join(out, name))}  ${name}\n`).join(''));
for (const name of files) console.log(join(out, name));
