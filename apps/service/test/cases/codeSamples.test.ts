// The code samples of the reference are programs: they run, in all three languages, and send one and the same request.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { OPERATION_IDS, operation } from '@fairway/wire';
import { type PaymentsTest, startPaymentsTest } from '../paymentsHarness.ts';

let payments: PaymentsTest;
let folder: string;
/** The samples of each operation, by their language, as readers copy them. */
let samples: Map<string, Readonly<Record<string, string>>>;
before(async () => {
  payments = await startPaymentsTest();
  folder = await mkdtemp(join(tmpdir(), 'fairway-samples-'));
  await writeFiles(folder);
  samples = samplesIn(await (await fetch(`${payments.service.url}/docs`)).text());
});
after(async () => {
  await payments?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const text = (given: string) =>
  given
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

function samplesIn(html: string): typeof samples {
  const entries = html.split('<article class="entry card" id="').slice(1);
  return new Map(
    entries.map((entry) => [
      entry.slice(0, entry.indexOf('"')),
      Object.fromEntries(
        [...entry.matchAll(/<div class="code in-(\w+)"><p>\w+<\/p>\s*<pre>(.*?)<\/pre>/gs)].map(
          ([, language = '', code = '']) => [language, text(code)],
        ),
      ),
    ]),
  );
}

/** How a program of each language is run. */
const RUN: Readonly<Record<string, { readonly file: string; readonly command: readonly string[] }>> = {
  curl: { file: 'sample.sh', command: ['sh'] },
  TypeScript: { file: 'sample.mts', command: [process.execPath] },
  Python: { file: 'sample.py', command: ['python3'] },
};
const LANGUAGES = Object.keys(RUN);
const missing = ['curl', 'python3'].filter(
  (program) => spawnSync(program, ['--version']).error !== undefined,
);
const skip = missing.length > 0 && `this machine has no ${missing.join(' and no ')}`;

/** The files that samples send. */
async function writeFiles(place: string): Promise<void> {
  await writeFile(join(place, 'statement.xml'), '<Document/>');
  await writeFile(join(place, 'statement.csv'), 'Date,Amount\n2026-11-24,-1.00\n');
}

/** Runs programs of a language one after the other, as one program, and returns what it writes. */
async function run(language: string, programs: readonly string[]): Promise<string> {
  const { file, command } = RUN[language] ?? assert.fail(language);
  const [program = '', ...rest] = command;
  const own = await mkdtemp(join(folder, 'run-'));
  await writeFiles(own);
  await writeFile(join(own, file), togetherIn(language, programs));
  for (const [index, text] of programs.entries()) await writeFile(join(own, `${index}-${file}`), text);
  const { stdout } = await promisify(execFile)(program, [...rest, file], { cwd: own, timeout: 60_000 });
  return stdout;
}

function togetherIn(language: string, programs: readonly string[]): string {
  if (programs.length === 1) return programs[0] ?? '';
  if (language === 'curl') return `set -e\n${programs.join('\n')}\n`;
  if (language === 'Python')
    return `import runpy\nfor index in range(${programs.length}): runpy.run_path(f"{index}-sample.py")\n`;
  return `for (let index = 0; index < ${programs.length}; index++) await import(\`./\${index}-sample.mts\`);\n`;
}

type Sent = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** What a request says, without what the program adds of itself. */
function saidBy({ method, url, headers, body }: Sent) {
  const { authorization, 'content-type': type, 'if-match': seen } = headers;
  const isForm = type === 'application/x-www-form-urlencoded';
  return {
    ...{ method, url, authorization, seen, type: isForm ? undefined : type },
    body: type === 'application/json' ? (JSON.parse(body) as unknown) : body,
  };
}

test('the samples of every operation send the same request in each language', { skip }, async () => {
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      sent.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response
        .setHeader('content-type', 'application/json')
        .setHeader('content-disposition', 'attachment; filename="report.csv"')
        .end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const said: Record<string, ReturnType<typeof saidBy>[]> = {};
    for (const language of LANGUAGES) {
      const programs = OPERATION_IDS.map(
        (id) => samples.get(id)?.[language] ?? assert.fail(`${id} ${language}`),
      );
      await run(
        language,
        programs.map((text) => text.replaceAll(payments.service.url, origin)),
      );
      said[language] = sent.splice(0).map(saidBy);
    }
    const basic = `Basic ${Buffer.from('ID:PASSWORD').toString('base64')}`;
    for (const [index, id] of OPERATION_IDS.entries()) {
      const { method, path, access, body, upload, needsIfMatch } = operation(id);
      const { TypeScript: request, ...others } = Object.fromEntries(
        LANGUAGES.map((language) => [language, said[language]?.[index]]),
      );
      for (const [language, other] of Object.entries(others))
        assert.deepEqual(other, request, `${id} in ${language}`);
      assert.equal(request?.seen, needsIfMatch === true ? '"REVISION"' : undefined, id);
      const [asked = ''] = request?.url.split('?') ?? [];
      assert.match(asked, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
      assert.deepEqual(
        [request?.method, request?.authorization, request?.type],
        [
          method,
          access.kind === 'OPEN' ? undefined : basic,
          upload === undefined
            ? request?.body === ''
              ? undefined
              : 'application/json'
            : Object.keys(upload)[0],
        ],
        id,
      );
      if (body === undefined && upload === undefined) assert.equal(request?.body, '', id);
    }
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test('samples with the credential of the sandbox get their answers from it', { skip }, async () => {
  const { demo } = payments.service.running;
  if (demo === undefined) throw new Error('The sandbox has a demo credential');
  const plan = await payments.plan();
  for (const language of LANGUAGES) {
    const answersTo = async (id: string) => {
      const text = samples.get(id)?.[language] ?? assert.fail(id);
      const { revision } = await payments.get(plan.planId);
      const filled = text
        .replaceAll('REVISION', String(revision))
        .replaceAll('ID:PASSWORD', `${demo.username}:${demo.password}`)
        .replaceAll('PLAN_ID', plan.planId)
        .replaceAll('INV-2026-0042', `sample-${language}`);
      return run(language, [filled]);
    };
    assert.match(await answersTo('getQuote'), /amountOut/, language);
    assert.match(await answersTo('createPayment'), new RegExp(`sample-${language}`));
    assert.match(await answersTo('getPayment'), new RegExp(plan.planId));
    assert.match(await answersTo('endPayment'), /SETTLED_ELSEWHERE/);
    assert.match(await answersTo('livez'), /OK/);
  }
});

test('the commands of the quick start run as they are', { skip }, async () => {
  const { demo } = payments.service.running;
  if (demo === undefined) throw new Error('The sandbox has a demo credential');
  const page = await (await fetch(`${payments.service.url}/docs/quick-start`)).text();
  const answers: unknown[] = [];
  for (const [, command = ''] of page.matchAll(/<pre>(.*?)<\/pre>/gs)) {
    const filled = text(command).replaceAll('ID:PASSWORD', `${demo.username}:${demo.password}`);
    answers.push(JSON.parse(await run('curl', [filled])));
  }
  const [quote, swap, plan, plans, events, report, ...more] = answers as Record<string, unknown>[];
  assert.ok(quote?.['amountOut'] && swap?.['instructions'] && report?.['reportId'], 'quote, swap, report');
  const [listed] = plans?.['data'] as Record<string, unknown>[];
  assert.equal(listed?.['planId'], plan?.['planId']);
  assert.ok((events?.['data'] as unknown[]).length > 0);
  assert.deepEqual(more, []);
  // The month that is closed is the one in which the payment was made.
  const [madeAt, from, to] = [plan?.['createdAt'], report['from'], report['to']].map((time) =>
    Date.parse(String(time)),
  ) as [number, number, number];
  assert.ok(from <= madeAt && madeAt < to + 1000, `${from} ${madeAt} ${to}`);
  assert.equal(new Date(from).getUTCDate(), 1);
});

test('a program that is refused writes what the problem says', { skip }, async () => {
  for (const language of LANGUAGES) {
    const program = samples.get('getQuote')?.[language] ?? assert.fail(language);
    const { stdout, stderr } = await run(language, [program]).then(
      (written) => ({ stdout: written, stderr: '' }),
      (failed: { readonly stdout: string; readonly stderr: string }) => failed,
    );
    assert.match(stdout + stderr, /"code": ?"unauthorized"/, language);
    if (language === 'Python') assert.match(stderr, /^\{"type"/, 'the problem alone');
  }
});
