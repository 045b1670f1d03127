// The client has every operation of the API, and its types are those of the document.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openApiDocument } from '@fairway/wire';
import { clientTypes } from '../build/clientTypes.ts';

const source = new URL('../src/', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, source), 'utf8');

test('every operation of /v1 is called by a resource', () => {
  const { paths } = openApiDocument('https://fairway.example') as { paths: Record<string, object> };
  const called = new Set<string>();
  for (const folder of ['resources/', 'stream/'])
    for (const name of readdirSync(new URL(folder, source))) {
      const text = textOf(folder + name).replaceAll(
        /api\.(\w+)\(path,/g,
        (call, method: string, at: number) => {
          const [path = call] = /'\/v1[^']*'(?=;\s*return|;\s*$)/m.exec(textBefore(folder + name, at)) ?? [];
          return `api.${method}(${path},`;
        },
      );
      for (const [, method, path] of text.matchAll(/api\.(\w+)\(\s*'(\/v1[^']*)'/g))
        called.add(`${method} ${path}`);
    }
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
  assert.ok(operations.length > 50);
  assert.deepEqual(
    operations.filter((operation) => !called.has(operation)),
    [],
  );
});

/** The last path that a file names before a place. */
function textBefore(path: string, at: number): string {
  const before = textOf(path).slice(0, at);
  return `${before.slice(before.lastIndexOf("'/v1")).split('\n')[0] ?? ''}`;
}

test('the committed types are those of the document', async () => {
  for (const [name, text] of Object.entries(await clientTypes()))
    assert.ok(textOf(`generated/${name}`) === text, `${name} has drifted: run "npm run openapi"`);
});
