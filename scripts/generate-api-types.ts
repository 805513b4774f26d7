import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { artifactGetPack } from '../packages/helmdeck/src/packs/artifacts/artifact-get.ts';
import { type RouteAccess, routePack } from '../packages/helmdeck/src/packs/route.ts';
import { openApiDocument } from '../packages/helmdeck/src/surfaces/rest/openapi/document.ts';
import { ROUTES } from '../packages/helmdeck/src/surfaces/rest/routes.ts';
import { documentToTypes, type OpenApiDocument } from './api-types/document-to-types.ts';

// Writes the UI's types of the REST API from the server's schemas: `npm run api-types [file]`. With --check it writes
// nothing and fails if the committed types differ from the schemas.

const FILE = 'ui/src/api/generated/rest.ts';
const args = process.argv.slice(2);
const file = args.find((arg) => !arg.startsWith('--')) ?? join(import.meta.dirname, '..', FILE);
// Only the schemas of the packs are read, so nothing they would run on is needed.
const packs = [routePack({} as RouteAccess, undefined), artifactGetPack()];
const types = documentToTypes(openApiDocument(ROUTES, '') as OpenApiDocument, packs);

if (!args.includes('--check')) writeFileSync(file, types);
else if (readFileSync(file, 'utf8') !== types) {
  console.error(`${FILE} differs from the server's schemas. Run "npm run api-types" and commit the result.`);
  process.exitCode = 1;
}
