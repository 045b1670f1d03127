// Two organisations on one service: to each of them, the collect requests of the other do not exist.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATIONS, operation, type OperationId } from '@fairway/wire';
import {
  type Caller,
  callerOf,
  comparable,
  fairway,
  makeLogin,
  payment,
  type Reply,
} from './paymentCalls.ts';
import { endEverything, freshFolder, startProcess } from './processHarness.ts';

type Organisation = {
  readonly ask: Caller;
  readonly planId: string;
  readonly id: string;
  readonly email: string;
};

const data = join(freshFolder(), 'data');
const organisations: Organisation[] = [];
let url = '';

before(async () => {
  const { ready } = await startProcess(['--port', '0', '--data', data], [...fairway, 'start']);
  ({ url } = ready);
  for (const name of ['Alder', 'Birch']) {
    const ask = callerOf(url, await makeLogin({ data }, name));
    const email = `${name.toLowerCase()}@example.com`;
    const { body } = await ask(
      '/v1/payments',
      payment('email', 'own', { recipient: { type: 'email', email } }),
    );
    for (const [index, event] of ['deposit.exact', 'swap.done'].entries()) {
      const path = `/v1/sandbox/payments/${body.planId}/steps/${body.steps[index]?.stepId}/simulate`;
      const played = await ask(path, { event });
      assert.equal(played.status, 200, played.text);
    }
    const id = `clr_${body.planId.slice('plan_'.length)}00000001`;
    // Nothing happens to the round by itself from then on.
    for (let tries = 0; tries < 400; tries += 1) {
      if ((await ask(`/v1/collect_requests/${id}`)).text.includes('"SENT"')) break;
      await sleep(25);
    }
    organisations.push({ ask, planId: body.planId, id, email });
  }
});
after(endEverything);

const ofRounds = (Object.keys(OPERATIONS) as OperationId[]).filter((id) =>
  operation(id).path.startsWith('/v1/collect_requests'),
);
const BODIES: Partial<Record<OperationId, object>> = {
  readdressCollectRequest: { email: 'taken@example.com' },
  reportCollectDelivery: { status: 'SENT', providerReference: 'P' },
};

function send(ask: Caller, id: OperationId, round: string): Promise<Reply> {
  const { method, path, body } = operation(id);
  return ask(path.replace('{collectRequestId}', round), body && (BODIES[id] ?? {}), method);
}

test('rounds of others, absent ones and malformed ids get the same answer', async () => {
  const stateOf = async ({ ask, id }: Organisation) => (await ask(`/v1/collect_requests/${id}`)).text;
  for (const [index, own] of organisations.entries()) {
    const other = organisations[(index + 1) % organisations.length] ?? assert.fail();
    const before = await stateOf(other);
    for (const id of ofRounds.filter((each) => operation(each).params !== undefined)) {
      const expected = comparable(await send(own.ask, id, `clr_${'0'.repeat(40)}`));
      assert.equal((expected as { status: number }).status, 404, id);
      const none = own.id.replace(/1$/, '2');
      for (const name of [other.id, none, 'clr_', '%00', own.id.toUpperCase(), `${own.id}0`, other.planId])
        assert.deepEqual(comparable(await send(own.ask, id, name)), expected, `${id} ${name}`);
    }
    assert.equal(await stateOf(other), before);
    for (const query of [`planId=${other.planId}`, `email=${other.email}`]) {
      const listed = await own.ask(`/v1/collect_requests?${query}`);
      assert.deepEqual(JSON.parse(listed.text), { data: [] });
    }
    const listed = JSON.parse((await own.ask('/v1/collect_requests')).text) as {
      data: { collectRequestId: string }[];
    };
    assert.deepEqual(
      listed.data.map(({ collectRequestId }) => collectRequestId),
      [own.id],
    );
  }
});
