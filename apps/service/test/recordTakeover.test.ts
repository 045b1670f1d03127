// Two processes keep the record of one chain: it is read once, and goes on when the reader is killed or stands still.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRecordBench, type RecordBench } from './recordHarness.ts';

/** EVIDENCE: another process takes over within so long after a kill. */
const TAKEOVER_MS = 5_000;

let bench: RecordBench;
const children = new Map<string, ChildProcess>();

before(async () => {
  bench = await openRecordBench();
});
after(async () => {
  for (const child of children.values()) child.kill('SIGKILL');
  await bench?.close();
});

/** Starts a process that keeps the record under this name. */
async function startProcess(holder: string): Promise<void> {
  const { chain, postgres, token } = bench;
  const { chainId, rpcUrl } = chain;
  const setting = { connection: postgres.connection, chainId, rpcUrl, token, holder };
  const program = new URL('./recordProcess.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, JSON.stringify(setting)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.set(holder, child);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
}

type Leader = { readonly holder: string; readonly epoch: string; readonly isHeld: boolean };

async function leader(): Promise<Leader | undefined> {
  const rows = await bench.query<{ holder: string; epoch: string; is_held: boolean }>(`
    select holder, epoch, lease_until > clock_timestamp() as is_held from chain_records`);
  return rows[0] && { holder: rows[0].holder, epoch: rows[0].epoch, isHeld: rows[0].is_held };
}

/** Waits until another process than this one leads; how long that took. */
async function takenOverFrom(holder: string): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const now = await leader();
    const tookMs = performance.now() - startedAt;
    if (now !== undefined && now.isHeld && now.holder !== holder) return tookMs;
    assert.ok(tookMs < 30_000, `nobody took over from ${holder}`);
    await sleep(20);
  }
}

const other = (holder: string) => (holder === 'one' ? 'two' : 'one');

async function assertEqual(): Promise<void> {
  await bench.recordAtHead();
  assert.deepEqual(await bench.recorded(), await bench.onChain());
}

test('a killed reader is replaced within five seconds, and nothing is lost or written twice', async () => {
  const addresses = [await bench.watchFresh(), await bench.watchFresh()];
  await Promise.all(['one', 'two'].map(startProcess));
  await bench.pay(addresses, 5n);
  await assertEqual();
  for (let round = 0; round < 2; round += 1) {
    const killed = (await leader())?.holder ?? '';
    children.get(killed)?.kill('SIGKILL');
    await bench.pay(addresses, 6n);
    const tookMs = await takenOverFrom(killed);
    console.log(`taken over after ${Math.round(tookMs)} ms`);
    assert.ok(tookMs < TAKEOVER_MS, `taken over after ${Math.round(tookMs)} ms`);
    await assertEqual();
    await startProcess(killed);
  }
  const rows = await bench.query<{ count: string }>(`select count(*) from chain_transfers`);
  assert.equal(rows[0]?.count, '6');
});

test('a reader that stood still until another took over writes nothing when it goes on', async () => {
  const address = await bench.watchFresh();
  const stopped = (await leader())?.holder ?? '';
  const child = children.get(stopped);
  // The process is stopped while a block is mined, so that it is often in the middle of its work.
  const paid = bench.pay([address], 7n);
  child?.kill('SIGSTOP');
  await paid;
  await takenOverFrom(stopped);
  await bench.pay([address], 8n);
  await assertEqual();
  const before = await leader();
  child?.kill('SIGCONT');
  await bench.pay([address], 9n);
  await sleep(2_500);
  await assertEqual();
  const now = await leader();
  assert.deepEqual(now, before);
  assert.equal(now?.holder, other(stopped));
  // The former reader waits for its turn again, and takes it.
  children.get(other(stopped))?.kill('SIGKILL');
  await takenOverFrom(other(stopped));
  await bench.pay([address], 10n);
  await assertEqual();
});
