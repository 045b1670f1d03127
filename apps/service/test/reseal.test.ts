// The keys that seal recipients and their chosen destinations are exchanged while the service runs; a lost key is
// reported.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailbox, RevealedRecipient } from '@fairway/wire';
import { readSealingKeys } from '../src/config/config.ts';
import { ConfigError } from '../src/config/configError.ts';
import { collectToWallet } from './collectForms.ts';
import {
  type AskedPayment,
  type Caller,
  callerOf,
  fairway,
  type Login,
  makeLogin,
  payment,
  type Reply,
} from './paymentCalls.ts';
import { endEverything, freshFolder, runToEnd, type ServiceProcess, startProcess } from './processHarness.ts';

const data = join(freshFolder(), 'data');
const key = (id: string) => `${id}:${randomBytes(32).toString('hex')}`;
const [oldKey, newKey] = [key('2025'), key('2026')];
const chosen = `0x${'ab'.repeat(20)}`;
const KINDS = ['bank', 'iban', 'emoney', 'email'] as const;

let service: ServiceProcess;
let login: Login;
let ask: Caller;
/** The plans that were made, with their requests. */
const plans = new Map<string, AskedPayment>();

async function start(...keys: string[]): Promise<void> {
  const env = { FAIRWAY_SEALING_KEYS: keys.join(',') };
  service = await startProcess(['--port', '0', '--data', data], [...fairway, 'start'], env);
  login ??= await makeLogin({ data }, 'Acme');
  ask = callerOf(service.ready.url, login);
}

async function restart(...keys: string[]): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
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
  const { body } = await ask(`/v1/payments/${planId}`);
  for (const [step, event] of ['deposit.exact', 'swap.done'].entries()) {
    const path = `/v1/sandbox/payments/${planId}/steps/${body.steps[step]?.stepId}/simulate`;
    const { status, text } = await ask(path, { event });
    assert.equal(status, 200, text);
  }
  const mailbox = async () => JSON.parse((await ask('/v1/sandbox/mailbox')).text) as Mailbox;
  await collectToWallet({ url: service.ready.url, ask: mailbox }, String(asked.recipient['email']), chosen);
  plans.set(planId, { ...asked, recipient: { type: 'wallet', address: chosen } });
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
  const first = await runToEnd([...fairway, 'reseal', '--data', data, '--json'], {
    FAIRWAY_SEALING_KEYS: `${newKey},${oldKey}`,
  });
  ended.abort();
  await asking;
  assert.equal(first.code, 0, first.output);
  assert.deepEqual(JSON.parse(first.output), { resealed: KINDS.length + 1, unreadable: 0 });
  await restart(newKey);
  await assertAllRevealed();
});

test('details whose key is missing are refused, and the history records no reveal', async () => {
  await restart(oldKey);
  const [planId = ''] = plans.keys();
  const revisionOf = async () => (await ask(`/v1/payments/${planId}`)).body.revision;
  const revision = await revisionOf();
  const { status, headers, body } = await reveal(planId);
  assert.deepEqual([status, body.code], [503, 'upstream-unavailable']);
  assert.equal(
    body.detail,
    'The details are sealed with a key that this deployment does not have; tell the operator.',
  );
  assert.equal(headers.get('retry-after'), '60');
  assert.equal(await revisionOf(), revision);
  const { output: text } = await runToEnd([...fairway, 'reseal', '--data', data], {
    FAIRWAY_SEALING_KEYS: oldKey,
  });
  assert.equal(
    text,
    `0 sealed anew. ${plans.size + 1} cannot be opened with any key given and were left as they are: add the key they were sealed with.\n`,
  );
});

test('malformed keys are refused with the right form, and the error does not repeat them', async () => {
  const hex = 'ab'.repeat(32);
  const shape =
    'FAIRWAY_SEALING_KEYS: must be ID:KEY, separated by commas; ID of letters, digits, ".", "_" and "-", KEY 32 bytes ' +
    'as 64 hex digits.';
  const wrong: readonly (readonly [string, string])[] = [
    [hex, shape],
    [`k1:${hex.slice(2)}`, shape],
    [`k1:${hex},`, shape],
    [`k 1:${hex}`, shape],
    [`k1:${'zz'.repeat(32)}`, shape],
    [`k1:${hex},k1:${'cd'.repeat(32)}`, 'FAIRWAY_SEALING_KEYS: each key needs an id of its own.'],
  ];
  for (const [keys, message] of wrong)
    assert.throws(() => readSealingKeys(keys), new ConfigError([message]), keys);
  const command = ['reseal', '--data', data];
  const runs: readonly (readonly [string[], string, string])[] = [
    [command, hex, shape],
    [command, '', 'FAIRWAY_SEALING_KEYS: is missing; the first key seals, the others open what they sealed.'],
    [['start', '--port', '0'], 'k1:short', shape],
  ];
  for (const [args, keys, message] of runs) {
    const { code, output } = await runToEnd([...fairway, ...args], { FAIRWAY_SEALING_KEYS: keys });
    assert.deepEqual([code, output], [1, `${message}\n`]);
  }
});
