// The program of docs/clients.md, with types that openapi-typescript makes of the OpenAPI document. It compiles, wrong
// programs do not, and it runs against a whole service.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openApiDocument, openApiText } from '@fairway/wire';
import openapiTS, { astToString } from 'openapi-typescript';
import { startTestService, type TestService } from './harness.ts';

const root = new URL('../../../', import.meta.url);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const page = readFileSync(new URL('docs/clients.md', root), 'utf8');
const program = /```ts\n(.*?)```/s.exec(page)?.[1] ?? assert.fail('docs/clients.md has no program');

let folder: string;
let service: TestService;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-client-'));
  symlinkSync(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'), 'junction');
  const types = astToString(await openapiTS(openApiText(openApiDocument('https://fairway.example'))));
  writeFileSync(join(folder, 'fairway.ts'), types);
  writeFileSync(join(folder, 'program.ts'), program);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  service = await startTestService();
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service?.close();
});

/** Runs a script with the Node that runs this, and answers with its exit code and all that it wrote. */
function ran(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

/** What the compiler complains about: the lines by the file. */
async function complaints(...files: readonly string[]): Promise<Record<string, string[]>> {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
  const modules = ['--module', 'nodenext', '--target', 'esnext', '--allowImportingTsExtensions', '--noEmit'];
  const { output } = await ran([compiler, ...strict, ...modules, '--types', 'node', ...files]);
  const found = [...output.matchAll(/^(\S+)\((\d+),\d+\): error TS/gm)];
  return Object.fromEntries(
    files.map((file) => [file, found.filter(([, of]) => of === file).map(([, , line = '']) => line)]),
  );
}

/** Mistakes that generated types must find, one on each line. */
const MISTAKES = [
  "import type { components } from './fairway.ts';",
  "type Schemas = components['schemas'];",
  "export const a: Schemas['GivenRecipient'] = { type: 'bank', name: 'Jo', country: 'AU' };",
  "export const b: Schemas['GivenRecipient'] = { type: 'saved', recipientId: 'rcp_0' };",
  "export const c: Schemas['PaymentRecipient'] = { type: 'wallet', address: '0x00' };",
  "export const d = (view: Schemas['RecipientView']) => view.address;",
  "export const e = (view: Schemas['RecipientView']) => view.type === 'email' && view.account;",
  "export const f: Schemas['SwapPlanRequest'] = { chainId: 1, tokenIn: '', tokenOut: '', tradeType: 'EXACT_IN' };",
  "export const g = (event: Schemas['Event']) => event.type === 'report.failed' && event.data.object.planId;",
];

test('the program of the documentation compiles with generated types, and mistakes do not', async () => {
  writeFileSync(join(folder, 'mistakes.ts'), MISTAKES.join('\n'));
  const expected = { 'program.ts': [], 'mistakes.ts': ['3', '4', '5', '6', '7', '8', '9'] };
  assert.deepEqual(await complaints('program.ts', 'mistakes.ts'), expected);
});

test('the program runs against the service that the document describes', async () => {
  const [user = '', password = ''] = atob(service.authorization.replace('Basic ', '')).split(':');
  const { code, output } = await ran(['program.ts'], { URL: service.url, USER: user, PASSWORD: password });
  assert.equal(code, 0, output);
  const lines = [
    /^\d+ for 1 call\(s\)$/,
    /^ACTION_REQUIRED: account …5678 in AU$/,
    /^ACTION_REQUIRED: account …5678 in AU$/,
    /^ACTION_REQUIRED: wallet 0x90F79bf6EB2c4f870365E785982E1f101E93b906 on chain 31337$/,
    /^ACTION_REQUIRED: Example Pay …0143$/,
    /^ACTION_REQUIRED: j\*\*\*@example\.com$/,
    /^Go on after \S+$/,
  ];
  // It is unknown how many of the events can be read so soon.
  const written = output
    .trim()
    .replaceAll(/plan_[0-9a-f]{32} was made\n/g, '')
    .split('\n');
  assert.equal(written.length, lines.length, output);
  for (const [index, line] of lines.entries()) assert.match(written[index] ?? '', line);
});
