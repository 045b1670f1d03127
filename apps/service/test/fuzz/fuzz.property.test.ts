// Five hundred cases against a service in a process of its own. Every request is served or refused as the description
// says, and changes nothing that it must not change. No answer and no log line shows what it must not.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import { OPERATION_IDS, operation } from '@fairway/wire';
import type { Failure } from './batches.ts';
import { JOURNEYS } from './acts.ts';
import type { Ground } from './ground.ts';
import { type FuzzRun, startFuzzRun } from './run.ts';

const REQUESTS = 560;
const SEQUENCES = 10;
/**
 * Operations that refuse everything here. No details wait in a sandbox, nobody may approve their own payment, and no entry is a known
 * movement. Their successes are in cases/recipientApproval.test.ts, paymentApproval.test.ts and statements.test.ts.
 */
const NOTHING_WAITS = ['approvePayment', 'approveRecipient', 'rejectRecipient', 'matchEntry'];

let run: FuzzRun;
let ground: Ground;

before(async () => {
  run = await startFuzzRun();
  ground = await run.newGround();
});
after(() => run?.close());

/** Fails with the smallest cases that were found, and the commands that run them again. */
function assertNoFailures(failures: readonly Failure[]): void {
  const texts = failures.map(
    ({ message, again }) => `${message}\nAgain: npm run nightly:fuzz -- --again ${again}`,
  );
  assert.equal(failures.length, 0, texts.join('\n\n'));
}

test('every operation of the API has a generator', () => {
  const described = ground.description.operations.map(({ id }) => id);
  assert.deepEqual(
    described.toSorted(),
    OPERATION_IDS.filter(
      (id) =>
        operation(id).isStream !== true &&
        operation(id).fileTypes === undefined &&
        operation(id).upload === undefined,
    ).toSorted(),
    'requests are generated from the description',
  );
  const acted = new Set(
    JOURNEYS.flat().map((act) => {
      if (act.kind === 'CALL' || act.kind === 'ASK' || act.kind === 'KEPT') return act.operation;
      return act.kind === 'CREATE' ? 'createPayment' : 'simulateStep';
    }),
  );
  const writing = OPERATION_IDS.filter(
    (id) => operation(id).method !== 'GET' && operation(id).upload === undefined,
  );
  assert.deepEqual(
    writing.filter((id) => !acted.has(id)),
    [],
    'a journey in acts.ts needs these operations',
  );
});

test('requests that must be refused are refused, and they change nothing', async () => {
  const before = await run.changeCounts(ground);
  assertNoFailures(await run.round(ground, seed, { requests: REQUESTS, sequences: 0 }));
  assert.deepEqual(await run.changeCounts(ground), before);
});

test('sequences of requests get only answers that the description allows', async () => {
  assert.deepEqual(await run.journeys(ground), []);
  assertNoFailures(await run.round(ground, seed, { requests: 0, sequences: SEQUENCES }));
});

test('the cases reached every operation, and few were told to wait', () => {
  console.log(run.census.report());
  assert.deepEqual(run.census.neverServed(ground.description.operations), NOTHING_WAITS);
  assert.ok(
    run.census.deferredShare() < 0.05,
    `${run.census.deferredShare()} of the answers were 429 or 503`,
  );
});

test('the service still runs, logged no error and no secret, and ends as it is asked to', async () => {
  assert.ok((await run.service.heapBytes()) > 0);
  assert.deepEqual(await run.close(), []);
});
