// Month-end: asks for every movement of a period, waits for the file, downloads it, and checks it by its totals. Then it compares the
// statement of the bank (camt.053), where one is named, with the payments (bankStatement.ts). It ends with 1 when
// something does not agree or was not compared, and with 2 when it could not do all of this.
//
//   npm start -- --ready-file ready.json            (in another terminal)
//   npm run example:payment -- ready.json
//   npm run example:month-end -- ready.json 2026-10-01T00:00:00+10:00 2026-11-01T00:00:00+11:00 bank.xml
//
// Without times it is the last calendar month in UTC; without a bank statement it says that nothing was compared, and ends with 0. The file is
// written to the folder in which the example runs.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, compare, importStatement, type Payment } from './bankStatement.ts';

type Ready = { url: string; username: string; password: string };
type Asset = { chainId?: number; address?: string; symbol?: string; currency?: string };
type Total = {
  asset: Asset;
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
  address: string | null;
  symbol: string | null;
  amount: string;
};

type Refusal = { detail: string; errors?: { pointer: string; detail: string }[] };

/** What is asked of payouts and returns: columns that do not change, but for the last two. */
const PAYMENT_COLUMNS = [
  ...['movementId', 'kind', 'clientReference', 'symbol', 'amount', 'amountDecimal'],
  ...['currency', 'paidAmountDecimal', 'reconciliation', 'statementEntry'],
];

/** A way to ask the service that a file `{url, username, password}` names. */
function asking(readyFile: string): Ask {
  const ready: Ready = JSON.parse(readFileSync(readyFile, 'utf8'));
  const authorization = `Basic ${Buffer.from(`${ready.username}:${ready.password}`).toString('base64')}`;
  return async (path, body) => {
    const isFile = body instanceof Buffer;
    const response = await fetch(`${ready.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization, 'content-type': isFile ? 'application/xml' : 'application/json' },
      body: isFile ? body : body ? JSON.stringify(body) : null,
    }).catch((cause: unknown) => {
      throw new Error(`${ready.url} does not answer: is the service running?`, { cause });
    });
    if (response.ok) return response;
    const { detail, errors = [] } = (await response.json()) as Refusal;
    const fields = errors.map(({ pointer, detail: fault }) => `\n  ${pointer}: ${fault}`);
    throw new Error(`The service refused ${path}: ${detail}${fields.join('')}`);
  };
}

/** The first moment of a month, so many months from this one, in UTC. */
function monthAt(offset: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString();
}

/** The day of a time, in the zone in which it is written, so many milliseconds later. */
function dayOf(time: string, laterMs: number): string {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(time) ?? ['', '+', '0', '0'];
  const zoneMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return new Date(Date.parse(time) + zoneMs + laterMs).toISOString().slice(0, 10);
}

/** Asks for a report, and waits until its file is made, which is done in the background. */
async function makeReport(ask: Ask, asked: object): Promise<Report> {
  const request = { type: 'movements', format: 'json', ...asked };
  let report = (await (await ask('/v1/reports', request)).json()) as Report;
  while (report.status === 'PENDING') {
    await sleep(1_000);
    report = (await (await ask(`/v1/reports/${report.reportId}`)).json()) as Report;
  }
  if (report.status === 'FAILED') throw new Error(report.failure?.detail);
  return report;
}

/** Downloads the file of a report. */
async function download(ask: Ask, report: Report, file: string): Promise<void> {
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
}

/**
 * The rows of a file, each on a line of its own. A million take no more memory than ten, because they are never held
 * as a whole.
 */
async function* rowsOf<Row>(lines: AsyncIterable<string>): AsyncGenerator<Row> {
  for await (const line of lines) if (line.startsWith('{')) yield JSON.parse(line.replace(/,$/, '')) as Row;
}

/** Adds the rows up. Reversals have a negative amount, so adding up is all there is to do. */
async function check(report: Report, file: string): Promise<void> {
  const sums = new Map<string, bigint>();
  let rows = 0;
  for await (const row of rowsOf<Row>(createInterface({ input: createReadStream(file) }))) {
    const { kind, chainId, address, symbol, amount } = row;
    // A token is known by its chain and address: several may have one symbol.
    const key = address === null ? `${kind} ${symbol}` : `${kind} ${chainId} ${address}`;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount));
    rows += 1;
  }
  if (rows !== report.rows) throw new Error(`${file} has ${rows} rows, and the report ${report.rows}`);
  for (const { asset, kind, amount } of report.controlTotals) {
    const key = asset.address === undefined ? asset.currency : `${asset.chainId} ${asset.address}`;
    if (sums.get(`${kind} ${key}`) !== BigInt(amount))
      throw new Error(`The rows of ${kind} ${key} add up to another amount than the control total`);
  }
}

/** The payouts and returns of a time, and how they stand with the statements of the bank that are imported by now. */
async function paymentsOf(ask: Ask, period: object): Promise<ReadonlyMap<string, Payment>> {
  const report = await makeReport(ask, { ...period, columns: PAYMENT_COLUMNS });
  const { body } = await ask(report.downloadUrl);
  if (body === null) throw new Error('The service sent no file');
  const payments = new Map<string, Payment>();
  let rows = 0;
  for await (const row of rowsOf<Payment>(createInterface({ input: Readable.fromWeb(body) }))) {
    if (row.kind === 'PAYOUT' || row.kind === 'RETURN') payments.set(row.movementId, row);
    rows += 1;
  }
  // A payment that is absent would pass for one that agrees.
  if (rows !== report.rows)
    throw new Error(`The file of payments has ${rows} rows, and the report ${report.rows}: ask again`);
  return payments;
}

async function main([
  readyFile = 'ready.json',
  from = monthAt(-1),
  to = monthAt(0),
  bankFile,
]: readonly string[]) {
  const ask = asking(readyFile);
  // The same period is the same file, however often it is asked for.
  const report = await makeReport(ask, { from, to });
  const file = `movements-${report.reportId}.json`;
  await download(ask, report, file);
  await check(report, file);
  for (const { kind, asset, amountDecimal, amount, rows } of report.controlTotals)
    console.log(`${kind.padEnd(9)} ${amountDecimal ?? amount} ${asset.symbol ?? ''} (${rows} rows)`);
  console.log(`${file}: ${report.rows} rows from ${from} to ${to}, equal to the control totals`);
  if (bankFile === undefined)
    return console.log('Nothing was compared with the bank: no statement was named');

  const statement = await importStatement(ask, bankFile);
  const days = [dayOf(from, 0), dayOf(to, -1)] as const;
  // Asked for only now, because it says how each payment stands when it is made. So it is another file each time.
  const payments = await paymentsOf(ask, { from, to });
  if (await compare(ask, bankFile, statement, { payments, days })) return;
  console.log(
    '\nSomething is open. A person decides about an entry with POST /v1/reconciliation/entries/{entryId}/match, or /ignore.' +
      '\nWhere the bank paid less than was reported, report the payout once more before that: docs/reconciliation.md#what-you-decide',
  );
  process.exitCode = 1;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error && !(error instanceof TypeError) ? error.message : error);
  process.exitCode = 2;
});
