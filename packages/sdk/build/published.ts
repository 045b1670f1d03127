import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

type Manifest = { exports: Record<string, string>; [key: string]: unknown };

/**
 * Writes the package as it is published into a folder, which is emptied before. It has JavaScript, types, a manifest with these
 * entries, the README and the licence. The repository itself runs the sources.
 */
export async function writePublished(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const project = join(root, 'build/tsconfig.json');
  await run(process.execPath, [compiler, '-p', project, '--outDir', folder]);
  withPublishedNames(folder);
  const source = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _development,
    exports,
    ...manifest
  } = source;
  const entries = Object.entries(exports).map(([name, path]) => [name, entryOf(path)]);
  const published = { ...manifest, exports: Object.fromEntries(entries) as object };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  cpSync(join(root, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, '../../LICENSE'), join(folder, 'LICENSE'));
}

/** The compiler rewrites the names of files in JavaScript, and leaves those in types as they are. */
function withPublishedNames(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(/(from '\.{1,2}\/[^']*)\.ts'/g, "$1.js'"));
  }
}

function entryOf(path: string): { types: string; default: string } {
  const base = path.replace('./src/', './').replace(/\.ts$/, '');
  return { types: `${base}.d.ts`, default: `${base}.js` };
}
