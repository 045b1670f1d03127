// Two organisations on one service: to each of them, the recipients, reports and statements of the other do not exist.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATIONS, operation, type OperationId, type RegisteredRecipient } from '@fairway/wire';
import {
  type Caller,
  callerOf,
  comparable,
  type Login,
  makeLogin,
  payment,
  type Reply,
} from './paymentCalls.ts';
import { basic } from './harness.ts';
import { camtOf, statementsOn } from './statementsHarness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { startFairway } from './commandHarness.ts';

type Organisation = {
  readonly ask: Caller;
  readonly login: Login;
  readonly planId: string;
  readonly registered: string[];
  readonly registeredReference: string;
};

const data = join(freshFolder(), 'data');
const organisations: Organisation[] = [];
let url = '';

before(async () => {
  const { ready } = await startFairway(['--port', '0', '--data', data]);
  ({ url } = ready);
  for (const name of ['Alder', 'Birch']) {
    const login = await makeLogin({ data }, name);
    const ask = callerOf(url, login);
    const { body, text } = await ask('/v1/payments', payment('bank', 'own'));
    const step = `/v1/sandbox/payments/${body.planId}/steps/${body.steps[0]?.stepId}`;
    assert.equal((await ask(`${step}/simulate`, { event: 'deposit.exact' })).status, 200);
    const registeredReference = `${name}-supplier`;
    const registered: string[] = [];
    for (const more of [{ clientReference: registeredReference }, { label: name }]) {
      const made = await ask('/v1/recipients', { recipient: payment('bank', 'x').recipient, ...more });
      assert.equal(made.status, 201, `${made.text} ${text}`);
      registered.push((JSON.parse(made.text) as RegisteredRecipient).recipientId);
    }
    organisations.push({ ask, login, planId: body.planId, registered, registeredReference });
  }
});
after(endEverything);

/** The operations on one registered recipient, each with a body that it accepts. */
const ofRecipients = (Object.keys(OPERATIONS) as OperationId[])
  .map((id) => ({ ...operation(id), id }))
  .filter(({ path }) => path.includes('{recipientId}'));

function sendRegistered(ask: Caller, id: OperationId, recipientId: string): Promise<Reply> {
  const { method, path, body } = operation(id);
  const check = { provider: 'P', result: 'MATCH', checkedAt: '2026-01-01T00:00:00Z', reference: 'R' };
  const bodies: Partial<Record<OperationId, object>> = {
    changeRecipient: { label: 'Taken', recipient: payment('bank', 'x').recipient },
    verifyRecipient: check,
    approveRecipient: { version: 1 },
    rejectRecipient: { version: 1 },
  };
  const given = body === undefined ? undefined : (bodies[id] ?? {});
  return ask(path.replace('{recipientId}', recipientId), given, method);
}

test('recipients of others, unknown ones and malformed ids get the same answer', async () => {
  const stateOf = async ({ ask, registered: [id] }: Organisation) => (await ask(`/v1/recipients/${id}`)).text;
  for (const [index, own] of organisations.entries()) {
    const other = organisations[(index + 1) % organisations.length] ?? assert.fail();
    const before = await stateOf(other);
    for (const { id } of ofRecipients) {
      const expected = comparable(await sendRegistered(own.ask, id, `rcp_${'0'.repeat(32)}`));
      assert.equal((expected as { status: number }).status, 404, id);
      for (const name of [...other.registered, 'rcp_', '%00', other.registered[0]?.toUpperCase() ?? ''])
        assert.deepEqual(comparable(await sendRegistered(own.ask, id, name)), expected, `${id} ${name}`);
    }
    assert.equal(await stateOf(other), before);
    const pay = (recipientId: string) =>
      own.ask('/v1/payments', payment('bank', 'foreign', { recipient: { type: 'saved', recipientId } }));
    const absent = comparable(await pay(`rcp_${'0'.repeat(32)}`));
    assert.equal((absent as { status: number }).status, 400);
    assert.deepEqual(
      comparable(await pay(other.registered[0] ?? '')),
      absent,
      'a plan to a foreign recipient',
    );
    const replaced = (recipientId: string) =>
      own.ask(`/v1/payments/${own.planId}/recipient`, { recipient: { type: 'saved', recipientId } });
    assert.deepEqual(
      comparable(await replaced(other.registered[0] ?? '')),
      comparable(await replaced(`rcp_${'0'.repeat(32)}`)),
    );
    for (const query of [`clientReference=${other.registeredReference}`, `q=${other.registeredReference}`]) {
      const listed = await own.ask(`/v1/recipients?${query}`);
      assert.deepEqual(JSON.parse(listed.text), { data: [] });
    }
    const listed = JSON.parse((await own.ask('/v1/recipients')).text) as { data: RegisteredRecipient[] };
    assert.deepEqual(listed.data.map(({ recipientId }) => recipientId).sort(), [...own.registered].sort());
    const byPlan = await own.ask(`/v1/payments?recipientId=${other.registered[0]}`);
    assert.deepEqual(JSON.parse(byPlan.text), { data: [] });
  }
});

test('what one organisation keeps is no warning to another, and its references are free', async () => {
  const [{ ask: one }, { ask: other }] = [
    organisations[0] ?? assert.fail(),
    organisations[1] ?? assert.fail(),
  ];
  const known = `0x${randomBytes(20).toString('hex')}`;
  const lookalike = `${known.slice(0, 6)}${randomBytes(16).toString('hex')}${known.slice(-4)}`;
  const wallet = (address: string) => ({ type: 'wallet', chainId: 31337, address });
  const clientReference = 'the same reference';
  const warned = async (ask: Caller, address: string) => {
    const { text } = await ask('/v1/recipients/validate', { recipient: wallet(address) });
    return (JSON.parse(text) as { warnings: { code: string }[] }).warnings.map(({ code }) => code);
  };
  const made = await one('/v1/recipients', { recipient: wallet(known), clientReference });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    [await warned(one, known), await warned(one, lookalike)],
    [['DUPLICATE_DETAILS'], ['LOOKALIKE_ADDRESS']],
  );
  assert.deepEqual([await warned(other, known), await warned(other, lookalike)], [[], []]);
  const twin = await other('/v1/recipients', { recipient: wallet(lookalike), clientReference });
  assert.deepEqual([twin.status, twin.headers.get('idempotent-replayed')], [201, null]);
  // The recipient that was made here must not be in the lists of the other tests.
  for (const [organisation, { text }] of [
    [organisations[0], made],
    [organisations[1], twin],
  ] as const)
    organisation?.registered.push((JSON.parse(text) as RegisteredRecipient).recipientId);
});

/** The id of a report on all that an organisation has so far, once it is made. */
async function reportOn({ ask }: Organisation, to: string): Promise<string> {
  const asked = { type: 'movements', format: 'csv', from: '2020-01-01T00:00:00Z', to };
  const { status, text } = await ask('/v1/reports', asked);
  assert.equal(status, 202, text);
  const { reportId } = JSON.parse(text) as { reportId: string };
  for (let tries = 0; tries < 800; tries++) {
    if ((await ask(`/v1/reports/${reportId}`)).text.includes('"COMPLETE"')) return reportId;
    await sleep(25);
  }
  return assert.fail('The report was not made.');
}

async function download({ username, password }: Login, reportId: string): Promise<string> {
  const headers = { authorization: basic(username, password) };
  const response = await fetch(`${url}/v1/reports/${reportId}/download`, { headers });
  assert.equal(response.status, 200);
  return response.text();
}

test('reports of others do not exist, and a report has the movements of its organisation alone', async () => {
  const clock = await organisations[0]?.ask('/v1/sandbox/clock', { advance: 'PT10S' });
  const { now } = JSON.parse(clock?.text ?? '{}') as { now: string };
  // Reports wait for 5 s after the end of their period.
  const to = new Date(Date.parse(now) - 6_000).toISOString();
  const made = await Promise.all(organisations.map((each) => reportOn(each, to)));
  for (const [index, { ask, planId, login }] of organisations.entries()) {
    const [own, other] = [made[index] ?? '', made[1 - index] ?? ''];
    const { text } = await ask('/v1/reports?limit=100');
    assert.ok(text.includes(own) && !text.includes(other));
    const file = await download(login, own);
    assert.ok(file.includes(planId) && !file.includes(organisations[1 - index]?.planId ?? '-'));
    for (const path of ['', '/download']) {
      const absent = comparable(await ask(`/v1/reports/rep_${'0'.repeat(32)}${path}`));
      assert.equal((absent as { status: number }).status, 404);
      for (const id of [other, 'rep_', '%00', other.toUpperCase()])
        assert.deepEqual(comparable(await ask(`/v1/reports/${id}${path}`)), absent, `${id}${path}`);
    }
  }
});

test('statements, entries and maps of others do not exist, nor do their movements for entries', async () => {
  const file = camtOf({ bookings: [{ amount: '-1.00', reference: 'isolation' }] });
  const map = { account: 'AU1', currency: 'AUD', columns: { bookedOn: 'Day', amount: 'Amount' } };
  const books = organisations.map(({ login }) => statementsOn(url, basic(login.username, login.password)));
  const made = await Promise.all(books.map((book) => book.imported(file)));
  const entries = await Promise.all(
    books.map(async (book, index) => (await book.entries(made[index] ?? assert.fail()))[0]),
  );
  assert.notEqual(made[0]?.statementId, made[1]?.statementId);
  assert.notEqual(entries[0]?.entryId, entries[1]?.entryId);
  for (const [index, { ask }] of organisations.entries()) {
    const other = made[1 - index]?.statementId ?? '';
    const root = '/v1/reconciliation';
    await ask(`${root}/maps/map-${index}`, map, 'PUT');
    const paths = (statementId: string, entryId: string, name: string): [string, object?][] => [
      [`${root}/statements/${statementId}`],
      [`${root}/statements/${statementId}/entries`],
      [`${root}/statements/${statementId}/differences`],
      [`${root}/maps/${name}`],
      [`${root}/entries/${entryId}`],
      [
        `${root}/entries/${entryId}/match`,
        { allocations: [{ movementId: `mov_${'0'.repeat(40)}`, amount: '1' }] },
      ],
      [`${root}/entries/${entryId}/unmatch`, {}],
      [`${root}/entries/${entryId}/ignore`, { reason: 'fee' }],
    ];
    const absent = paths(`stm_${'0'.repeat(32)}`, `ent_${'0'.repeat(32)}`, 'none');
    const foreign = paths(other, entries[1 - index]?.entryId ?? '', `map-${1 - index}`);
    for (const [at, given] of foreign.entries()) {
      const reply = await ask(...given);
      assert.equal(reply.status, 404, given[0]);
      assert.deepEqual(comparable(reply), comparable(await ask(...(absent[at] ?? assert.fail()))), given[0]);
    }
    assert.ok(!(await ask(`${root}/statements?limit=100`)).text.includes(other));
    const { body } =
      (await organisations[1 - index]?.ask(`/v1/payments/${organisations[1 - index]?.planId}/movements`)) ??
      assert.fail();
    const [movement] = (body as unknown as { data: { movementId: string }[] }).data;
    const own = entries[index]?.entryId ?? '';
    const match = (movementId: string) =>
      ask(`${root}/entries/${own}/match`, { allocations: [{ movementId, amount: '1' }] });
    assert.deepEqual(
      comparable(await match(movement?.movementId ?? '')),
      comparable(await match(`mov_${'0'.repeat(40)}`)),
    );
  }
});
