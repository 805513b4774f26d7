import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const ROOT = resolve(import.meta.dirname, '../..');
export const COMPOSE_DIR = join(ROOT, 'deploy/compose');

export interface Service {
  image?: string;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  networks?: string[];
  volumes?: string[];
  ports?: string[];
  healthcheck?: { test: string[] };
  [key: string]: unknown;
}

export interface ComposeFile {
  services: Record<string, Service>;
  networks?: Record<string, Record<string, unknown>>;
  volumes?: Record<string, Record<string, unknown>>;
}

export const COMPOSE_FILES = readdirSync(COMPOSE_DIR).filter((name) => /^compose.*\.ya?ml$/.test(name));

export const readCompose = (name: string) =>
  parse(readFileSync(join(COMPOSE_DIR, name), 'utf8')) as ComposeFile;

/** Every document of a file of Kubernetes manifests. */
export function readManifests(path: string): Manifest[] {
  return parseAllDocuments(readFileSync(join(ROOT, path), 'utf8')).map(
    (document) => document.toJS() as Manifest,
  );
}

export interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: manifests of a dozen kinds, each read in a few places
  spec: any;
  stringData?: Record<string, string>;
}

/** Merges overlays as Compose documents it: maps by key, lists of networks and volumes joined, scalars replaced. */
export function mergeCompose(files: readonly ComposeFile[]): ComposeFile {
  const merged: ComposeFile = { services: {}, networks: {}, volumes: {} };
  for (const file of files) {
    for (const [name, service] of Object.entries(file.services))
      merged.services[name] = mergeService(merged.services[name] ?? {}, service);
    for (const kind of ['networks', 'volumes'] as const)
      for (const [name, definition] of Object.entries(file[kind] ?? {}))
        merged[kind]![name] = { ...merged[kind]![name], ...definition };
  }
  return merged;
}

function mergeService(below: Service, above: Service): Service {
  const service: Service = { ...below, ...above };
  for (const key of ['environment', 'depends_on'] as const) {
    const both = { ...below[key], ...above[key] };
    if (Object.keys(both).length > 0) service[key] = both as never;
  }
  for (const key of ['networks', 'volumes', 'ports'] as const) {
    const both = [...new Set([...(below[key] ?? []), ...(above[key] ?? [])])];
    if (both.length > 0) service[key] = both;
  }
  return service;
}
