/**
 * Writes what the code generates. docs/contract.txt, the schemas in docs and the types of the SDK are committed. The
 * OpenAPI document goes to openapi.json or the path that is given. With --check nothing is written: it fails when a
 * committed one differs from what the code says.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument, openApiText } from '@fairway/wire';
import { PublishedConfigFile } from '../apps/client-node/src/platform/config/schema.ts';
import { ConfigFile } from '../apps/service/src/platform/config/schema.ts';
import { PolicyDocument } from '../packages/policies/src/index.ts';
import { clientTypes } from '../packages/sdk/build/clientTypes.ts';
import { contractLines } from './contractLines.ts';

const document = openApiDocument('https://fairway.example');
const committed: Readonly<Record<string, string>> = {
  'docs/contract.txt': `${contractLines(document).join('\n')}\n`,
  'docs/config.schema.json': `${JSON.stringify(ConfigFile, null, 2)}\n`,
  'docs/client-node.schema.json': `${JSON.stringify(PublishedConfigFile, null, 2)}\n`,
  'docs/client-node-policy.schema.json': `${JSON.stringify(PolicyDocument, null, 2)}\n`,
  ...Object.fromEntries(
    Object.entries(await clientTypes()).map(([name, text]) => [`packages/sdk/src/generated/${name}`, text]),
  ),
};

const [given = 'openapi.json'] = process.argv.slice(2);
if (given === '--check') {
  for (const [path, content] of Object.entries(committed)) check(path, content);
} else {
  for (const [path, content] of Object.entries(committed)) writeFileSync(placeOf(path), content);
  writeFileSync(given, `${openApiText(document, 2)}\n`);
}

function check(path: string, generated: string): void {
  const known = textOf(path).split('\n');
  if (known.join('\n') === generated) return;
  const lines = generated.split('\n');
  for (const line of known) if (!lines.includes(line)) process.stderr.write(`- ${line}\n`);
  for (const line of lines) if (!known.includes(line)) process.stderr.write(`+ ${line}\n`);
  process.stderr.write(`${path} differs from the schemas: run "npm run openapi" and commit the result.\n`);
  process.exitCode = 1;
}

function textOf(path: string): string {
  try {
    return readFileSync(placeOf(path), 'utf8');
  } catch {
    return '';
  }
}

function placeOf(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}
