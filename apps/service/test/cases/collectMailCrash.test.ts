// The service is killed between a submission and the e-mail with its code, and between a swap and the e-mail with its
// link. Started again on the same data, it sends each e-mail once.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToRunning } from '@fairway/postgres';
import { Client } from 'pg';
import {
  codeIn,
  collectOf,
  DESTINATIONS,
  freshEmail,
  type Mail,
  postForm,
  tokenIn,
} from '../collectCalls.ts';
import { type Caller, callerOf, makeLogin, payment, urlOf } from '../paymentCalls.ts';
import {
  endEverything,
  freshFolder,
  startProcess,
  type ServiceProcess,
  waitForEnd,
} from '../processHarness.ts';

after(endEverything);

const data = join(freshFolder(), 'data');
const savedChain = join(data, 'chain', 'chain-state.json.gz');
const env = { FAIRWAY_SEALING_KEYS: `k1:${randomBytes(32).toString('hex')}` };
const start = () => startProcess(['--port', '0', '--data', data, '--log-level', 'warn'], env);

async function kill(service: ServiceProcess): Promise<void> {
  const family = service.family();
  service.child.kill('SIGKILL');
  await service.ended;
  assert.deepEqual(await waitForEnd(family, 30_000), []);
}

/** Keeps e-mail jobs from starting while `work` runs, as if every worker were busy. */
async function whileMailWaits(work: () => Promise<void>): Promise<void> {
  const running = connectToRunning(join(data, 'postgres'));
  assert.ok(running);
  const client = new Client(urlOf(running));
  // The database is killed together with the service.
  client.on('error', () => {});
  await client.connect();
  await client.query(
    `create function hold_mails() returns trigger language plpgsql as $$
     begin new.run_at := now() + interval '1 hour'; return new; end $$`,
  );
  await client.query(
    `create trigger hold_mails before insert on graphile_worker._private_jobs for each row
     when (new.key like 'mail:%') execute function hold_mails()`,
  );
  await work();
  await client.query('drop trigger hold_mails on graphile_worker._private_jobs');
  await client.query('drop function hold_mails');
  await client.query(
    `update graphile_worker._private_jobs set run_at = now() + interval '5 seconds' where key like 'mail:%'`,
  );
  await client.end();
}

async function mailbox(ask: Caller): Promise<Mail[]> {
  return (JSON.parse((await ask('/v1/sandbox/mailbox')).text) as { data: Mail[] }).data;
}

async function arrived(ask: Caller, count: number): Promise<Mail[]> {
  for (let tries = 0; tries < 600; tries++) {
    const mails = await mailbox(ask);
    if (mails.length >= count) return mails;
    await sleep(50);
  }
  return assert.fail('No e-mail came.');
}

test('the next start sends the code and the link of a killed service, each once', async () => {
  let service = await start();
  const login = await makeLogin({ data, env }, 'Crash Ltd');
  let ask = callerOf(service.ready.url, login);
  const simulate = async (planId: string, stepId = '', event: string) => {
    const { status, text } = await ask(`/v1/sandbox/payments/${planId}/steps/${stepId}/simulate`, { event });
    assert.equal(status, 200, text);
  };
  const swapped = async (email: string) => {
    const recipient = { type: 'email', email };
    const { body } = await ask('/v1/payments', payment('email', email, { recipient }));
    await simulate(body.planId, body.steps[0]?.stepId, 'deposit.exact');
    await simulate(body.planId, body.steps[1]?.stepId, 'swap.done');
    return body.planId;
  };
  const [first, second] = [freshEmail(), freshEmail()];
  const planId = await swapped(first);
  const [link = assert.fail()] = await arrived(ask, 1);
  const token = tokenIn(link);
  let waiting = '';
  await whileMailWaits(async () => {
    const page = await postForm(service.ready.url, 'submit', { token, ...DESTINATIONS.iban });
    assert.equal(page.status, 200, page.title);
    waiting = await swapped(second);
    // A separate job makes the link.
    for (let tries = 0; tries < 2_000; tries++) {
      const { steps } = (await ask(`/v1/payments/${waiting}?expand=rounds`)).body;
      if (steps[2]?.collect?.link !== undefined) break;
      await sleep(25);
    }
    // The chain is saved each second: a block that is lost would take the swaps back, and their links.
    const untilMs = Date.now() + 10_000;
    const doneAtMs = Date.now();
    while (statSync(savedChain).mtimeMs < doneAtMs && Date.now() < untilMs) await sleep(50);
    await sleep(2_500);
  });
  assert.equal((await mailbox(ask)).length, 1, 'neither e-mail was sent before the kill');
  await kill(service);

  service = await start();
  ask = callerOf(service.ready.url, login);
  const mails = await arrived(ask, 2);
  await sleep(2_000);
  assert.equal((await mailbox(ask)).length, 2, 'each e-mail was sent once');
  assert.deepEqual(mails.map(({ to }) => to).toSorted(), [first, second].toSorted());
  const code = codeIn(mails.find(({ to }) => to === first) ?? assert.fail());
  const done = await postForm(service.ready.url, 'confirm', { token, ...DESTINATIONS.iban, code });
  assert.equal(done.status, 200, done.title);
  const plan = (await ask(`/v1/payments/${planId}?expand=rounds`)).body;
  assert.deepEqual([collectOf(plan).link?.state, collectOf(plan).delivery?.status], ['SUBMITTED', 'PENDING']);
  const opened = tokenIn(mails.find(({ to }) => to === second) ?? assert.fail());
  assert.equal((await postForm(service.ready.url, 'open', { token: opened })).status, 200);
  assert.equal(collectOf((await ask(`/v1/payments/${waiting}?expand=rounds`)).body).link?.mail, 'ACCEPTED');
  await kill(service);
});
