// The keys that seal recipients and their chosen destinations are exchanged while the service runs; a lost key is
// reported.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailbox, RevealedRecipient } from '@fairway/wire';
import { ConfigError } from '../src/platform/config/error.ts';
import { readSealingKeys } from '../src/platform/config/sealingKeys.ts';
import { collectToWallet } from './collectForms.ts';
import {
  type AskedPayment,
  type Caller,
  callerOf,
  type Login,
  makeLogin,
  payment,
  type Reply,
} from './paymentCalls.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { runFairway, startFairway, type StartedService } from './commandHarness.ts';

const data = join(freshFolder(), 'data');
const key = (id: string) => `${id}:${randomBytes(32).toString('hex')}`;
const [oldKey, newKey] = [key('2025'), key('2026')];
const chosen = `0x${'ab'.repeat(20)}`;
const KINDS = ['bank', 'iban', 'emoney', 'email'] as const;

let service: StartedService;
let login: Login;
let ask: Caller;
/** The plans that were made, with their requests. */
const plans = new Map<string, AskedPayment>();

async function start(...keys: string[]): Promise<void> {
  const env = { FAIRWAY_SEALING_KEYS: keys.join(',') };
  service = await startFairway(['--port', '0', '--data', data], env);
  login ??= await makeLogin({ data, env }, 'Acme');
  ask = callerOf(service.ready.url, login);
}

async function restart(...keys: string[]): Promise<void> {
  assert.equal(await service.stop(), 0);
  await start(...keys);
}

async function make(name: string): Promise<void> {
  for (const kind of KINDS) {
    const asked = payment(kind, `${name} ${kind}`);
    const { status, body, text } = await ask('/v1/payments', asked);
    assert.equal(status, 200, text);
    plans.set(body.planId, asked);
  }
}

/** Lets the recipient of a plan choose a wallet, and records the wallet as the plan's recipient. */
async function choose(name: string): Promise<void> {
  const [planId, asked] = [...plans].find(([, { clientReference }]) => clientReference === name) ?? [];
  assert.ok(planId !== undefined && asked !== undefined);
  await bringMoney(planId);
  const mailbox = async () => JSON.parse((await ask('/v1/sandbox/mailbox')).text) as Mailbox;
  await collectToWallet({ url: service.ready.url, ask: mailbox }, String(asked.recipient['email']), chosen);
  plans.set(planId, { ...asked, recipient: { type: 'wallet', address: chosen } });
}

/** Simulates the deposit and the swap of a plan. */
async function bringMoney(planId: string): Promise<void> {
  const { body } = await ask(`/v1/payments/${planId}`);
  for (const [step, event] of ['deposit.exact', 'swap.done'].entries()) {
    const path = `/v1/sandbox/payments/${planId}/steps/${body.steps[step]?.stepId}/simulate`;
    const { status, text } = await ask(path, { event });
    assert.equal(status, 200, text);
  }
}

const reveal = (planId: string): Promise<Reply> => ask(`/v1/payments/${planId}/recipient/reveal`, {});

async function assertAllRevealed(): Promise<void> {
  for (const [planId, { recipient }] of plans) {
    const { status, text } = await reveal(planId);
    assert.equal(status, 200, text);
    const { type, name, address } = (JSON.parse(text) as RevealedRecipient).recipient as Record<
      string,
      unknown
    >;
    assert.deepEqual([type, name], [recipient.type, recipient['name']]);
    if (type === 'wallet') assert.equal(String(address).toLowerCase(), chosen);
  }
}

before(async () => {
  await start(oldKey);
  await make('before');
  await choose('before email');
});
after(endEverything);

test('keys are exchanged while a service runs, and every plan stays readable', async () => {
  await restart(newKey, oldKey);
  await make('after');
  const ended = new AbortController();
  const asking = (async () => {
    while (!ended.signal.aborted) {
      await assertAllRevealed();
      await sleep(20);
    }
  })();
  const first = await runFairway(['reseal', '--data', data, '--json'], {
    FAIRWAY_SEALING_KEYS: `${newKey},${oldKey}`,
  });
  ended.abort();
  await asking;
  assert.equal(first.code, 0, first.output);
  assert.deepEqual(JSON.parse(first.output), {
    resealed: KINDS.length + 1,
    unreadable: 0,
    isRewrapped: true,
  });
  await restart(newKey);
  await assertAllRevealed();
});

/** A start that must fail, with what it says. */
async function refusedStart(...keys: string[]): Promise<string> {
  const { code, output } = await runFairway(['start', '--port', '0', '--data', data], {
    FAIRWAY_SEALING_KEYS: keys.join(','),
  });
  assert.equal(code, 1, output);
  for (const key of keys) assert.ok(!output.includes(key.split(':')[1] ?? ''));
  return lastLine(output);
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}

async function reseal(
  args: readonly string[],
  ...keys: string[]
): Promise<{ code: number | null; output: string }> {
  const { code, output } = await runFairway(['reseal', '--data', data, ...args], {
    FAIRWAY_SEALING_KEYS: keys.join(','),
  });
  return { code, output: lastLine(output) };
}

async function stop(): Promise<void> {
  assert.equal(await service.stop(), 0);
}

test('a key of the same id with other bytes is refused by its id, at a start and by reseal', async () => {
  const wrong =
    'FAIRWAY_SEALING_KEYS: the sealing key 2026 is not the one that this database knows by that id: give the bytes that ' +
    '2026 had, or give a new key an id of its own';
  await stop();
  const forged = key('2026');
  assert.equal(await refusedStart(forged), wrong);
  assert.deepEqual(await reseal([], forged), { code: 1, output: wrong });
  await start(newKey);
  await assertAllRevealed();
});

// The procedure of docs/operating.md, "A sealing key is lost".
test('a lost key is named at the start; once it is given up, everything but its details works', async () => {
  const [planId = '', asked] = [...plans][0] ?? [];
  const before = (await ask(`/v1/payments/${planId}`)).body;
  await stop();
  const missing =
    'FAIRWAY_SEALING_KEYS: the sealing key 2026 is missing: it wraps the key of the fingerprints. Give it again, behind ' +
    'the first key, until "fairway reseal" has wrapped the key anew; if it is lost for ever, run: fairway reseal --lost 2026';
  const next = key('2027');
  assert.equal(await refusedStart(next), missing);
  assert.deepEqual(await reseal([], next), { code: 1, output: missing });
  assert.deepEqual(await reseal(['--lost', '2026'], next, newKey), {
    code: 1,
    output:
      '--lost 2026: this key is in FAIRWAY_SEALING_KEYS, so it is not lost; leave --lost out, or take the key out.',
  });
  assert.deepEqual(await reseal(['--lost', '2062'], next), {
    code: 1,
    output:
      '--lost: the sealing key 2062 was never used in this database: it knows 2025, 2026, 2027. Is the id mistyped?',
  });
  assert.deepEqual(await reseal(['--lost-fingerprints'], newKey), {
    code: 1,
    output: '--lost-fingerprints: the key of the fingerprints is there, and opens: leave the option out',
  });
  assert.deepEqual(await reseal(['--lost', '2026'], next), {
    code: 0,
    output:
      `0 sealed anew. ${plans.size + 1} cannot be opened with any key given and were left as they are; those that 2026 ` +
      'sealed stay closed. 2026 is given up: start every process again, with the keys that were given now.',
  });

  await start(next);
  const told = `FAIRWAY_SEALING_KEYS lacks 2026, and ${plans.size + 1} records are sealed with it`;
  for (let tries = 0; !service.output().includes(told) && tries < 2_000; tries += 1) await sleep(25);
  assert.ok(service.output().includes(told), service.output().slice(-2_000));
  // Plans are read and carried on as before.
  const { body: after } = await ask(`/v1/payments/${planId}`);
  assert.deepEqual([after.status, after.revision], [before.status, before.revision]);
  // Details are refused, and the history records no reveal.
  const { status, headers, body } = await reveal(planId);
  assert.deepEqual([status, body.code], [503, 'upstream-unavailable']);
  assert.equal(
    body.detail,
    'The details are sealed with a key that this deployment does not have; tell the operator.',
  );
  assert.equal(headers.get('retry-after'), '60');
  assert.equal((await ask(`/v1/payments/${planId}`)).body.revision, before.revision);
  // A repeated request makes no second plan.
  const again = await ask('/v1/payments', asked ?? {});
  assert.deepEqual([again.status, again.body.code], [422, 'client-reference-reused']);
  assert.equal(
    again.body.detail,
    `clientReference ${JSON.stringify(asked?.clientReference)} made the plan ${planId}, and whether by this request cannot be told any more; read the plan before you send this one under a reference of its own.`,
  );
  await readdressOwed();
  // New plans are made, replayed and revealed.
  plans.clear();
  await make('after the loss');
  for (const [id, payment] of plans) assert.equal((await ask('/v1/payments', payment)).body.planId, id);
  await assertAllRevealed();
});

/** Money comes for a plan whose address is closed: the log names the plan, and another address carries it on. */
async function readdressOwed(): Promise<void> {
  const [planId = ''] = [...plans].find(([, { clientReference }]) => clientReference === 'after email') ?? [];
  await bringMoney(planId);
  const warnings = () => service.output().match(/[^\n]*The link of a plan cannot be sent[^\n]*/g) ?? [];
  for (let tries = 0; warnings().length === 0 && tries < 2_000; tries += 1) await sleep(25);
  assert.ok(warnings()[0]?.includes(planId), service.output().slice(-2_000));
  const { body } = await ask(`/v1/payments/${planId}`);
  assert.match(String(body.next?.detail), /name the recipient in POST …\/again\.$/);
  const email = 'after.the.loss@example.com';
  const readdressed = await ask(`/v1/payments/${planId}/again`, { recipient: { type: 'email', email } });
  assert.equal(readdressed.status, 200, readdressed.text);
  const mailbox = async () => JSON.parse((await ask('/v1/sandbox/mailbox')).text) as Mailbox;
  await collectToWallet({ url: service.ready.url, ask: mailbox }, email, chosen);
  assert.equal((await reveal(planId)).status, 200);
  assert.equal(warnings().length, 1);
}

test('malformed keys are refused with the right form, and the error does not repeat them', async () => {
  const hex = 'ab'.repeat(32);
  const shape =
    'FAIRWAY_SEALING_KEYS: must be ID:KEY, ID:file:PATH or ID:kms:PATH, separated by commas; ID of letters, digits, ".", ' +
    '"_" and "-", KEY 32 bytes as 64 hex digits.';
  const wrong: readonly (readonly [string, string])[] = [
    [hex, shape],
    [`k1:${hex.slice(2)}`, shape],
    [`k1:${hex},`, shape],
    [`k 1:${hex}`, shape],
    [`k1:${'zz'.repeat(32)}`, shape],
    [`k1:${hex},k1:${'cd'.repeat(32)}`, 'FAIRWAY_SEALING_KEYS: each key needs an id of its own.'],
  ];
  for (const [keys, message] of wrong)
    assert.throws(() => readSealingKeys({ FAIRWAY_SEALING_KEYS: keys }), new ConfigError([message]), keys);
  const command = ['reseal', '--data', data];
  const runs: readonly (readonly [string[], string, string])[] = [
    [command, hex, shape],
    [command, '', 'FAIRWAY_SEALING_KEYS: is missing; the first key seals, the others open what they sealed.'],
    [['start', '--port', '0'], 'k1:short', shape],
  ];
  for (const [args, keys, message] of runs) {
    const { code, output } = await runFairway(args, { FAIRWAY_SEALING_KEYS: keys });
    assert.deepEqual([code, output], [1, `${message}\n`]);
  }
});

test('after all this every ledger balances, and every history rebuilds its plan', async () => {
  const { code, output } = await runFairway(['audit', 'ledger', '--data', data, '--json']);
  assert.equal(code, 0, output);
  const { plans: audited, faults } = JSON.parse(output);
  assert.deepEqual(faults, []);
  // Plans whose details are lost are no longer among those that can be revealed.
  assert.ok(audited > plans.size);
  const told = await runFairway(['audit', 'ledger', '--data', data]);
  assert.match(told.output, new RegExp(`Every ledger of ${audited} plans balances`));
});
