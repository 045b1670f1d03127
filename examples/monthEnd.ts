// Month-end: asks for every movement of a period, waits for the file, downloads it, and checks it by its totals. Then it compares the
// statement of the bank (camt.053) with the payments, and ends with 1 where something does not agree (bankStatement.ts).
//
//   npm start -- --ready-file ready.json            (in another terminal)
//   npm run example:payment -- ready.json
//   npm run example:month-end -- ready.json 2026-10-01T00:00:00+10:00 2026-11-01T00:00:00+11:00 bank.xml
//
// Without times it is the last calendar month in UTC; without the bank's file nothing is compared. The file is written to the folder in which the example runs.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, reconcile } from './bankStatement.ts';

type Ready = { url: string; username: string; password: string };
type Asset = { chainId?: number; address?: string; currency?: string };
type Total = {
  asset: Asset;
  symbol?: string;
  kind: string;
  rows: number;
  amount: string;
  amountDecimal?: string;
};
type Report = {
  reportId: string;
  status: 'PENDING' | 'COMPLETE' | 'FAILED';
  rows: number;
  sha256: string;
  controlTotals: Total[];
  downloadUrl: string;
  failure?: { detail: string };
};
type Row = {
  kind: string;
  chainId: number | null;
  token: string | null;
  symbol: string | null;
  amount: string;
};

const ready: Ready = JSON.parse(readFileSync(process.argv[2] ?? 'ready.json', 'utf8'));
const authorization = `Basic ${Buffer.from(`${ready.username}:${ready.password}`).toString('base64')}`;

const ask: Ask = async (path, body) => {
  const isFile = body instanceof Buffer;
  const response = await fetch(`${ready.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization, 'content-type': isFile ? 'application/xml' : 'application/json' },
    body: isFile ? body : body ? JSON.stringify(body) : null,
  });
  if (!response.ok) throw new Error(`The service refused: ${await response.text()}`);
  return response;
};

/** The first moment of a month, so many months from this one, in UTC. */
function monthAt(offset: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString();
}

const [from, to, bankFile] = [process.argv[3] ?? monthAt(-1), process.argv[4] ?? monthAt(0), process.argv[5]];

// A report is made in the background. The same period is the same file, however often it is asked for.
let report = (await (
  await ask('/v1/reports', { type: 'movements', format: 'json', from, to })
).json()) as Report;
while (report.status === 'PENDING') {
  await sleep(1_000);
  report = (await (await ask(`/v1/reports/${report.reportId}`)).json()) as Report;
}
if (report.status === 'FAILED') throw new Error(report.failure?.detail);

// A file of a million rows takes no more memory than one of ten, because it is never held as a whole.
const file = `movements-${report.reportId}.json`;
const { body } = await ask(report.downloadUrl);
if (body === null) throw new Error('The service sent no file');
const hash = createHash('sha256');
await pipeline(
  Readable.fromWeb(body),
  async function* (parts: AsyncIterable<Uint8Array>) {
    for await (const part of parts) {
      hash.update(part);
      yield part;
    }
  },
  createWriteStream(file),
);
if (hash.digest('hex') !== report.sha256)
  throw new Error(`${file} is not the whole report: download it again`);

// Each row is on a line of its own. What was taken back has a negative amount, so adding up is all there is to do.
const sums = new Map<string, bigint>();
let rows = 0;
for await (const line of createInterface({ input: createReadStream(file) })) {
  if (!line.startsWith('{')) continue;
  const { kind, chainId, token, symbol, amount } = JSON.parse(line.replace(/,$/, '')) as Row;
  // A token is known by its chain and address: several may have one symbol.
  const key = token === null ? `${kind} ${symbol}` : `${kind} ${chainId} ${token}`;
  sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount));
  rows += 1;
}
if (rows !== report.rows) throw new Error(`${file} has ${rows} rows, and the report ${report.rows}`);
for (const { asset, kind, amount } of report.controlTotals) {
  const key = asset.address === undefined ? asset.currency : `${asset.chainId} ${asset.address}`;
  if (sums.get(`${kind} ${key}`) !== BigInt(amount))
    throw new Error(`The rows of ${kind} ${key} add up to another amount than the control total`);
}

for (const { kind, symbol, amountDecimal, amount, rows: count } of report.controlTotals)
  console.log(`${kind.padEnd(9)} ${amountDecimal ?? amount} ${symbol ?? ''} (${count} rows)`);
console.log(`${file}: ${rows} rows from ${from} to ${to}, equal to the control totals`);
if (bankFile !== undefined && !(await reconcile(ask, bankFile))) {
  console.log('\nSomething is open: docs/reconciliation.md says how a person decides about an entry');
  process.exitCode = 1;
}
