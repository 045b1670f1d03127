// The package as npm delivers it: in an empty project with Node 20 where there is one, with TypeScript, and in a browser's bundle.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { writePublished } from '../build/published.ts';
import { DONE, startFailingServer } from './failingServer.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, string>;
};
const ENTRIES = Object.keys(manifest.exports).map((entry) => entry.replace('.', '@fairway/sdk'));
/** What the index does not have: it is for those who sign. */
const FOR_SIGNERS = ['viem', 'ethers', 'checks', 'execution'].map((name) => `@fairway/sdk/${name}`);
const MOST_BYTES = 12_000;

let folder: string;
let published: string;
let tarball: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-sdk-'));
  published = join(folder, 'published');
  await writePublished(published);
  const packed: string[] = [];
  for (const place of [
    published,
    join(modules, 'openapi-fetch'),
    join(modules, 'openapi-typescript-helpers'),
  ]) {
    const { stdout } = await npm(['pack', place, '--ignore-scripts', '--json', '--pack-destination', folder]);
    packed.push(join(folder, (JSON.parse(stdout) as [{ filename: string }])[0].filename));
  }
  tarball = packed[0] ?? '';
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  await npm([
    'install',
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--omit=peer',
    ...packed,
  ]);
  for (const library of ['viem', 'ethers'])
    symlinkSync(join(modules, library), join(folder, 'node_modules', library));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function npm(args: readonly string[]) {
  const cache = join(folder, 'cache');
  return run('npm', [...args, '--cache', cache], { cwd: folder, shell: process.platform === 'win32' });
}

/** A Node of the oldest version that is promised, where the machine has one; else the one that runs this. */
async function oldestNode(): Promise<string> {
  for (const place of (process.env['PATH'] ?? '').split(delimiter)) {
    const node = join(place, 'node');
    const { stdout } = await run(node, ['--version']).catch(() => ({ stdout: '' }));
    if (stdout.startsWith('v20.')) return node;
  }
  return process.execPath;
}

test('publint and attw find nothing wrong', async () => {
  const bytes = readFileSync(tarball);
  const { messages } = await publint({ pkgDir: published, pack: false, strict: true });
  assert.deepEqual(messages, []);
  const { types, ...analysis } = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  assert.ok(types !== false && 'problems' in analysis);
  const ofModules = (analysis.problems as { kind: string; resolutionKind?: string }[]).filter(
    ({ resolutionKind }) => resolutionKind !== 'node10' && resolutionKind !== 'node16-cjs',
  );
  assert.deepEqual(ofModules, []);
});

test('a program asks a service, on the oldest Node that is promised', async (context) => {
  const server = await startFailingServer(DONE);
  context.after(() => server.close());
  const imports = ENTRIES.map((entry) => `await import('${entry}');`).join('\n');
  const program = `${imports}
    const { createFairway } = await import('@fairway/sdk');
    const fairway = createFairway({ url: '${server.url}', username: 'u', password: 'p' });
    console.log(process.version, (await fairway.payments.get('plan_1')).planId);`;
  writeFileSync(join(folder, 'program.js'), program);
  const node = await oldestNode();
  const { stdout } = await run(node, ['program.js'], { cwd: folder });
  context.diagnostic(stdout);
  assert.match(stdout, /^v\d+\.\S+ plan_1$/m);
});

/** What the programs of the README take from the program around them. */
const AROUND = `import type { Fairway } from '@fairway/sdk';
import type { PaymentRequest } from '@fairway/sdk/payments';
import type { KnownCorridor } from '@fairway/sdk/viem';
import type { Account, Chain, PublicClient, Transport, WalletClient } from 'viem';
declare global {
  const url: string, username: string, password: string, secret: string, cursor: string;
  const WETH: string, USDC: string, ROUTER: string, sender: string, fairway: Fairway, CORRIDOR: KnownCorridor;
  const recipient: PaymentRequest['recipient'], wallet: WalletClient<Transport, Chain, Account>, node: PublicClient;
  function lookUp(text: string): void;
  function show(value: unknown): void;
  function log(...values: unknown[]): void;
  function markPaid(planId: string): Promise<void>;
  function keep(data: unknown, cursor: unknown): Promise<void>;
  function handle(event: unknown): Promise<void>;
  function lastCursor(): Promise<string>;
  function keepCursor(cursor: unknown): Promise<void>;
}`;

test('the programs of the README compile', async () => {
  const project = join(folder, 'readme');
  mkdirSync(project, { recursive: true });
  const readme = readFileSync(join(published, 'README.md'), 'utf8');
  const programs = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, program = '']) => program);
  assert.ok(programs.length >= 6);
  writeFileSync(join(project, 'around.ts'), AROUND);
  for (const [index, program] of programs.entries())
    writeFileSync(join(project, `program${index}.ts`), `${program}\nexport {};`);
  const module = { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', types: [], noEmit: true };
  const compilerOptions = {
    ...module,
    strict: true,
    skipLibCheck: true,
    lib: ['es2022', 'dom', 'dom.asynciterable'],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  const { stdout } = await run(process.execPath, [compiler, '-p', project, '--pretty', 'false']).catch(
    (error: unknown) => error as { stdout: string },
  );
  assert.equal(stdout, '');
});

/** A program that uses what types promise: words that are open, errors by their code, and what does not compile. */
const TYPED = `
import { createFairway, isFairwayError, limitOf, verifyWebhook, type FairwayEvent } from '@fairway/sdk';
const fairway = createFairway({ url: '', username: '', password: '' });
const trade = { chainId: 1, tokenIn: '0x', tokenOut: '0x', tradeType: 'EXACT_IN', amount: '1' } as const;
export const limit = limitOf(await fairway.quotes.get(trade), 100);
export async function end(planId: string): Promise<string> {
  try {
    const plan = await fairway.payments.end(planId, { reason: 'OTHER' }, { ifRevision: 1 });
    if (plan.status === 'A_LATER_WORD') return 'open words compile';
    return plan.status;
  } catch (error) {
    if (!isFairwayError(error)) throw error;
    switch (error.code) {
      case 'revision-mismatch': return error.revision.toFixed();
      case 'validation-failed': return error.errors.map(({ pointer }) => pointer).join();
      case 'unknown-problem': return error.problem.code ?? '';
      case 'connection-failed': return error.message;
      default: throw error;
    }
  }
}
export async function receive(request: Request): Promise<string> {
  const event: FairwayEvent = await verifyWebhook({ body: await request.text(), headers: request.headers, secret: '' });
  return event.type === 'payment_plan.completed' ? event.data.object.planId ?? '' : event.type;
}
for await (const { event, cursor } of fairway.events.stream({ after: 'now' })) console.log(event.id, cursor);
`;
const WRONG = [
  "import { createFairway } from '@fairway/sdk';",
  "const fairway = createFairway({ url: '', username: '', password: '' });",
  "await fairway.payments.end('plan', {});",
  "await fairway.payments.end('plan', { reason: 'MISSPELT' }, { ifRevision: 1 });",
  "await fairway.quotes.get({ chainId: 1, tokenIn: '', tokenOut: '', tradeType: 'EXACT_IN' });",
  "await fairway.quotes.get({ chainId: 1, tokenIn: '', tokenOut: '', tradeType: 'EXACT', amount: '1' });",
  'for await (const { nothing } of fairway.payments.list()) console.log(nothing);',
];

for (const module of ['nodenext', 'bundler'])
  test(`types hold in a strict project with ${module}`, async () => {
    const project = join(folder, module);
    mkdirSync(project, { recursive: true });
    const libraries = ENTRIES.map((entry, index) => `import * as entry${index} from '${entry}';`);
    const all = `${libraries.join('\n')}\nexport const all = [${libraries.map((_, index) => `entry${index}`).join()}];`;
    writeFileSync(join(project, 'typed.ts'), TYPED);
    writeFileSync(join(project, 'all.ts'), all);
    writeFileSync(join(project, 'wrong.ts'), WRONG.join('\n'));
    writeFileSync(join(project, 'package.json'), '{"type": "module"}');
    const kept =
      module === 'nodenext' ? { module: 'nodenext' } : { module: 'esnext', moduleResolution: 'bundler' };
    const options = {
      ...kept,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    };
    const rest = { target: 'es2022', lib: ['es2022', 'dom', 'dom.asynciterable'], types: [], noEmit: true };
    for (const [files, skipLibCheck] of [
      [['typed.ts', 'wrong.ts'], false],
      [['all.ts'], true],
    ] as const) {
      const compilerOptions = { ...options, ...rest, skipLibCheck };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
      const { stdout } = await run(process.execPath, [compiler, '-p', project, '--pretty', 'false']).catch(
        (error: unknown) => error as { stdout: string },
      );
      const complaints = stdout.split('\n').filter((line) => line.includes('error TS'));
      const places = complaints.map((line) => /(\w+\.ts)\((\d+),/.exec(line)?.slice(1).join(' ') ?? line);
      const expected = files.length === 2 ? [3, 4, 5, 6, 7].map((line) => `wrong.ts ${line}`) : [];
      assert.deepEqual(places, expected, stdout);
    }
  });

async function bundled(source: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'sdk',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'));
  assert.ok(
    inputs.every((path) => /node_modules\/(@fairway\/sdk|openapi-fetch)\//.test(path)),
    inputs.join('\n'),
  );
  return outputFiles[0]?.text ?? '';
}

test('a bundle for browsers works without anything of Node, and is small', async (context) => {
  const code = await bundled(`export * from '@fairway/sdk'`);
  const bytes = gzipSync(code).length;
  context.diagnostic(`everything: ${bytes} bytes gzipped`);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  const server = await startFailingServer(DONE);
  context.after(() => server.close());
  const { fetch, URL, Headers, Request, Response, FormData, AbortController, TextEncoder, TextDecoder } =
    globalThis;
  const { btoa, atob, crypto, performance, setTimeout, clearTimeout } = globalThis;
  const web = { fetch, URL, Headers, Request, Response, FormData, AbortController, TextEncoder, TextDecoder };
  const page = createContext({ ...web, btoa, atob, crypto, performance, setTimeout, clearTimeout });
  const asked = `sdk.createFairway({ url: '${server.url}', username: 'u', password: 'p' }).payments.get('plan_1')`;
  const plan = (await runInContext(`${code};${asked}`, page)) as { planId: string };
  assert.equal(plan.planId, 'plan_1');
});

test('each entry is smaller than all of them together', async (context) => {
  const whole = gzipSync(await bundled(`export * from '@fairway/sdk'`)).length;
  for (const entry of ENTRIES.filter((name) => name !== '@fairway/sdk' && !FOR_SIGNERS.includes(name))) {
    const source = `export * from '${entry}'; export * from '@fairway/sdk/connection'`;
    const bytes = gzipSync(await bundled(source)).length;
    context.diagnostic(`${entry}: ${bytes} bytes gzipped`);
    assert.ok(bytes < whole - 1_000, `${entry}: ${bytes} of ${whole} bytes`);
  }
});
