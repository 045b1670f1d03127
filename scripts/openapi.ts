/**
 * Writes the documents that the code generates: docs/openapi.json and docs/config.schema.json; with --check fails when
 * one differs from what the code says.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument, openApiText } from '@fairway/wire';
import { ConfigFile } from '../apps/service/src/config/configSchema.ts';

const documents: Readonly<Record<string, string>> = {
  'docs/openapi.json': openApiText(openApiDocument('https://fairway.example'), 2),
  'docs/config.schema.json': JSON.stringify(ConfigFile, null, 2),
};

for (const [path, content] of Object.entries(documents)) {
  const file = new URL(`../${path}`, import.meta.url);
  const generated = `${content}\n`;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, generated);
  } else if (committed(file) !== generated) {
    process.stderr.write(`${path} differs from the schemas: run "npm run openapi" and commit the result.\n`);
    process.exitCode = 1;
  }
}

function committed(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
