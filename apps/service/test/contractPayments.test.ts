// The payment part of spec/interface.md written a second time, in JSON Schema and independent of packages/wire.
// Corridors, requests, plans and steps are compared with the answers of a whole service.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectToWallet } from './collectForms.ts';
import { postOf, startTestService, type TestService } from './harness.ts';
import { Corridor, PaymentEvent, PaymentPlan } from './interfacePayments.ts';
import { closed, listOf, matches, Problem, Text } from './interfaceSchemas.ts';

type Body = { [name: string]: unknown };
type CorridorBody = {
  id: string;
  source: { chainId: number; address: string; decimals: number };
  target: { type: string; chainId: number; address: string };
  constraints: {
    modes: string[];
    recipientTypes: string[];
    requirementsUrl: string;
    minAmountIn: string;
    paymentApproval?: object;
  };
};
type StepBody = {
  stepId: string;
  type: string;
  status: string;
  instructions?: { to: string; constraints: { notAfter: string } }[];
  custodianAction?: { beneficiary: Body; isFinal: boolean };
  evidence?: { txHash: string };
  providerReference?: string;
  collect?: {
    link?: { version: number; state: string; mail: string };
    destinationType?: string;
    delivery?: { status: string };
    rounds: { version: number; delivery?: { status: string } }[];
  };
};
type PlanBody = {
  planId: string;
  status: string;
  revision: number;
  clientReference: string;
  metadata: Body;
  steps: StepBody[];
  returns: Body[];
  next?: { stepId: string; why: string };
};
type ProblemBody = { code: string; errors?: { pointer: string }[] };

let service: TestService;
let corridors: CorridorBody[];
let references = 0;

before(async () => {
  service = await startTestService();
  corridors = await service.ask<CorridorBody[]>('/v1/markets/corridors');
});
after(() => service?.close());

const BANK = {
  type: 'bank',
  name: 'Jo Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '12345678' },
};

/** A valid payment to a bank, with members replaced; undefined removes a member. */
function payment(changes: Body = {}): Body {
  return {
    clientReference: `ref-${(references += 1)}`,
    corridorId: 'usdc-aud-bank',
    amountIn: '250000000',
    recipient: BANK,
    options: { mode: 'STANDARD' },
    ...changes,
  };
}

/** The plan of a 200. */
async function plan(path: string, body?: Body): Promise<PlanBody> {
  const answer = await service.request(path, body === undefined ? {} : postOf(body));
  assert.equal(answer.status, 200, `${path}: ${JSON.stringify([body, answer.body])}`);
  matches(PaymentPlan, answer.body, path);
  return answer.body as PlanBody;
}

/** The pointers of a refusal. */
async function refused(
  status: number,
  code: string,
  body: unknown,
  path = '/v1/payments',
): Promise<string[]> {
  const answer = await service.request(path, postOf(body));
  assert.equal(answer.status, status, JSON.stringify([body, answer.body]).slice(0, 2000));
  matches(Problem, answer.body, path);
  const problem = answer.body as ProblemBody;
  assert.equal(problem.code, code, JSON.stringify(body));
  return (problem.errors ?? []).map(({ pointer }) => pointer);
}

const typesOf = ({ steps }: PlanBody) => steps.map(({ type }) => type);
const statusesOf = ({ steps }: PlanBody) => steps.map(({ status }) => status);

test('corridors have the shape of the interface, and their chains and tokens are listed', async () => {
  matches({ ...listOf(Corridor), minItems: 5 }, corridors, 'corridors');
  assert.equal(new Set(corridors.map(({ id }) => id)).size, corridors.length);
  const tokens = await service.ask<{ chainId: number; address: string }[]>('/v1/markets/tokens');
  for (const { id, source, target } of corridors) {
    for (const { chainId, address } of [source, target])
      assert.ok(
        tokens.some((each) => each.chainId === chainId && each.address === address),
        `${id} ${address}`,
      );
  }
  const unknown = await service.request('/v1/markets/corridors?status=SUSPENDED');
  assert.equal(unknown.status, 400);
});

test('every listed corridor takes the example recipient of its requirements', async () => {
  for (const { id, source, constraints } of corridors) {
    const mode = constraints.modes[0] ?? '';
    const { pathname } = new URL(constraints.requirementsUrl);
    const { examples } = await service.ask<{ examples: Body[] }>(pathname);
    const amountIn = String(100n * 10n ** BigInt(source.decimals));
    const made = await plan(
      '/v1/payments',
      payment({ corridorId: id, amountIn, recipient: examples[0], options: { mode } }),
    );
    const last = mode === 'STANDARD' ? 'CUSTODIAN_PAYOUT' : 'SEND_DIGITAL_COLLECT';
    assert.deepEqual(typesOf(made), ['AWAIT_DEPOSIT', 'EXECUTE_SWAP', last], id);
    assert.deepEqual(statusesOf(made), ['PENDING', 'PENDING', 'PENDING'], id);
    const isHeld = constraints.paymentApproval !== undefined;
    const isEmpty = made.steps[1]?.instructions?.length === 0;
    assert.equal(isEmpty, isHeld, 'EXECUTE_SWAP includes its instructions, unless somebody has to approve');
    assert.equal(made.status, 'ACTION_REQUIRED');
    assert.equal(new Set(made.steps.map(({ stepId }) => stepId)).size, 3);
  }
});

test('creating a plan executes nothing', async () => {
  const before = await service.rpc<string>('eth_blockNumber');
  await plan('/v1/payments', payment());
  assert.equal(await service.rpc<string>('eth_blockNumber'), before);
});

test('a payment needs reference, corridor, amount, recipient and mode; all missing are named', async () => {
  const needed = ['clientReference', 'corridorId', 'amountIn', 'recipient', 'options'];
  assert.deepEqual(
    await refused(400, 'validation-failed', {}),
    needed.map((name) => `/${name}`),
  );
  for (const name of needed)
    assert.deepEqual(await refused(400, 'validation-failed', payment({ [name]: undefined })), [`/${name}`]);
  assert.deepEqual(await refused(400, 'validation-failed', payment({ options: {} })), ['/options/mode']);
});

test('every malformed field is refused by its name', async () => {
  const foreign = [null, true, 7, 1.5, [], {}, ['x']];
  const reference = ['', ' ', 'x'.repeat(129), '𝒳'.repeat(129), 'a\nb', 'a\0b', '\ud800', '\u2028x'];
  const fields: Record<string, readonly unknown[]> = {
    clientReference: [...foreign, ...reference],
    corridorId: [...foreign, '', 'x'.repeat(65)],
    amountIn: [
      ...foreign,
      '',
      '0',
      '-1',
      '01',
      '1.5',
      '1e9',
      '0x10',
      ' 1',
      String(2n ** 256n),
      '9'.repeat(79),
    ],
    options: [null, 'STANDARD', [], 7],
    metadata: [null, 'x', [], { '': 'x' }, { ['n'.repeat(65)]: 'x' }],
    note: ['x'],
  };
  const options: Record<string, readonly unknown[]> = {
    mode: [null, '', 'standard', 'DIGITAL', 7],
    sender: ['', 'x', `0x${'ab'.repeat(19)}`, `0x${'00'.repeat(20)}`, null],
    depositAddress: ['x', `0x${'00'.repeat(20)}`, null],
    slippageBps: [-1, 5001, '50', 1.5, null],
    minAmountOut: ['0', 1, '-1', null],
    collect: [{}, { message: 'x' }],
    slipage: [1],
  };
  for (const [name, values] of Object.entries(fields))
    for (const value of values)
      assert.deepEqual(await refused(400, 'validation-failed', payment({ [name]: value })), [`/${name}`]);
  for (const a of [1, null, 'v'.repeat(257)])
    assert.deepEqual(await refused(400, 'validation-failed', payment({ metadata: { a } })), ['/metadata/a']);
  for (const [name, values] of Object.entries(options))
    for (const value of values) {
      const given = payment({ options: { mode: 'STANDARD', [name]: value } });
      assert.deepEqual(await refused(400, 'validation-failed', given), [`/options/${name}`]);
    }
  for (const recipient of [...foreign, 'jo@example.com', { ...BANK, type: 'BANK' }, { ...BANK, iban: 'x' }])
    for (const pointer of await refused(400, 'recipient-invalid', payment({ recipient })))
      assert.match(pointer, /^\/recipient/);
});

test('values of the greatest allowed length are accepted and kept as they were sent', async () => {
  const pairs = Array.from({ length: 20 }, (_, index) => [`${index}`.padEnd(64, 'n'), '𝒳'.repeat(256)]);
  const metadata = Object.fromEntries(pairs) as Body;
  for (const clientReference of ['x', 'x'.repeat(128), '𝒳'.repeat(128), ' padded ', `'"<é>`]) {
    const { planId } = await plan('/v1/payments', payment({ clientReference, metadata }));
    const later = await plan(`/v1/payments/${planId}`);
    assert.deepEqual([later.clientReference, later.metadata], [clientReference, metadata]);
  }
  await refused(400, 'validation-failed', payment({ metadata: { ...metadata, more: 'x' } }));
});

/** Plays an event on a step of a plan. */
const play = (made: PlanBody, step: number, event: string) =>
  plan(`/v1/sandbox/payments/${made.planId}/steps/${made.steps[step]?.stepId}/simulate`, { event });

test('steps go from PENDING to DONE in order, and references for reconciliation stay readable', async () => {
  const body = payment();
  const made = await plan('/v1/payments', body);
  const deposited = await play(made, 0, 'deposit.exact');
  assert.deepEqual(statusesOf(deposited), ['DONE', 'READY', 'PENDING']);
  assert.equal(deposited.next?.why, 'SWAP_DUE');
  const swapped = await play(made, 1, 'swap.done');
  assert.deepEqual(statusesOf(swapped), ['DONE', 'DONE', 'READY']);
  assert.ok(swapped.steps[1]?.evidence?.txHash, 'an on-chain transaction hash results');
  assert.equal(swapped.steps[2]?.custodianAction?.isFinal, true);
  const held = await play(made, 2, 'payout.held');
  assert.deepEqual([statusesOf(held), held.next?.why], [['DONE', 'DONE', 'READY'], 'PAYOUT_HELD']);
  const paid = await play(made, 2, 'payout.done');
  assert.deepEqual(statusesOf(paid), ['DONE', 'DONE', 'DONE']);
  assert.equal('hold' in (paid.steps[2] ?? {}), false, 'a plan that is not held looks as before');
  assert.equal(paid.status, 'COMPLETED');
  assert.equal(paid.next, undefined);
  assert.ok(paid.steps[2]?.providerReference, 'the provider reference is recorded');
  const returned = await play(made, 2, 'payout.returned');
  assert.deepEqual(statusesOf(returned), ['DONE', 'DONE', 'DONE'], 'a returned payout leaves the step DONE');
  assert.deepEqual([returned.status, returned.returns.length], ['RETURNED', 1]);
  assert.equal(returned.clientReference, body['clientReference']);
  const history = await service.ask<{ data: { revision: number }[] }>(`/v1/payments/${made.planId}/events`);
  matches(closed({ data: { ...listOf(PaymentEvent), minItems: 5 } }), history, 'events');
  assert.deepEqual(
    history.data.map(({ revision }) => revision),
    history.data.map((_, index) => index + 1),
  );
});

test('an e-mailed recipient chooses, is asked again after a failed delivery, and is paid', async () => {
  const recipient = { type: 'email', email: 'jo@example.com', name: 'Jo Citizen' };
  const options = { mode: 'DIGITAL_COLLECT', collect: { expiresIn: 'P2D', message: 'Hello' } };
  const made = await plan('/v1/payments', payment({ corridorId: 'usdc-eur-collect', recipient, options }));
  const collectOf = ({ steps }: PlanBody) => steps[2]?.collect;
  assert.deepEqual(collectOf(made), { rounds: [] });
  await play(made, 0, 'deposit.exact');
  const swapped = await play(made, 1, 'swap.done');
  assert.equal(statusesOf(swapped)[2], 'READY');
  for (const version of [1, 2]) {
    const mailed = await until(made, (now) => collectOf(now)?.link?.mail === 'ACCEPTED');
    assert.equal(mailed.next?.why, 'RECIPIENT_CHOOSES');
    await collectToWallet(service, recipient.email, `0x00000000000000000000000000000000000fa15${version}`);
    const chosen = await plan(`/v1/payments/${made.planId}`);
    assert.deepEqual([statusesOf(chosen)[2], chosen.status], ['DONE', 'ACTION_REQUIRED']);
    const shown = { link: { version, state: 'SUBMITTED' }, destinationType: 'wallet' };
    assert.partialDeepStrictEqual(collectOf(chosen), { ...shown, delivery: { status: 'PENDING' } });
    assert.equal(chosen.steps[2]?.custodianAction?.beneficiary['type'], 'wallet');
    if (version === 2) break;
    assert.equal(collectOf(await play(made, 2, 'delivery.held'))?.delivery?.status, 'PENDING');
    const failed = await play(made, 2, 'payout.failed');
    assert.deepEqual([statusesOf(failed)[2], failed.status], ['DONE', 'ACTION_REQUIRED']);
    assert.equal(collectOf(failed)?.rounds[0]?.delivery?.status, 'FAILED');
  }
  const paid = await play(made, 2, 'payout.done');
  assert.deepEqual([paid.status, collectOf(paid)?.delivery?.status], ['COMPLETED', 'DELIVERED']);
  const returned = await play(made, 2, 'payout.returned');
  assert.deepEqual([returned.status, collectOf(returned)?.delivery?.status], ['RETURNED', 'RETURNED']);
  const history = await service.ask(`/v1/payments/${made.planId}/events`);
  matches(closed({ data: { ...listOf(PaymentEvent), minItems: 10 } }), history, 'events');
});

/** Waits until a condition holds for the plan. */
async function until({ planId }: PlanBody, holds: (now: PlanBody) => boolean): Promise<PlanBody> {
  for (let tries = 0; ; tries++) {
    const now = await plan(`/v1/payments/${planId}`);
    if (holds(now)) return now;
    assert.ok(tries < 2_000, JSON.stringify(now.steps));
    await sleep(25);
  }
}

test('a step can fail and be retried, and a plan without money can be ended', async () => {
  const made = await plan('/v1/payments', payment());
  const step = (index: number, action: string) =>
    `/v1/payments/${made.planId}/steps/${made.steps[index]?.stepId}/${action}`;
  await plan(step(0, 'reports'), { outcome: 'DONE' });
  const failed = await plan(step(1, 'reports'), {
    outcome: 'FAILED',
    failure: { code: 'OTHER', detail: 'x' },
  });
  assert.deepEqual([statusesOf(failed)[1], failed.status], ['FAILED', 'ACTION_REQUIRED']);
  const again = `/v1/payments/${made.planId}/again`;
  assert.deepEqual(statusesOf(await plan(again, {})), ['DONE', 'READY', 'PENDING']);
  await plan(again, {});
  const other = await plan('/v1/payments', payment());
  const path = `/v1/payments/${other.planId}/end`;
  const at = (revision: number) => ({ 'if-match': `"${revision}"` });
  const { status, body } = await service.request(path, { method: 'POST', headers: at(other.revision) });
  assert.deepEqual([status, (body as PlanBody).status], [200, 'ENDED'], 'no body is needed');
  const repeated = await service.request(path, postOf({}, at((body as PlanBody).revision)));
  assert.deepEqual([repeated.status, (repeated.body as PlanBody).status], [200, 'ENDED'], 'again');
});

test('plans are listed newest first, in pages, with filters', async () => {
  const all: PlanBody[] = [];
  for (let cursor = ''; ; ) {
    const page = await service.ask<{ data: PlanBody[]; nextCursor?: string }>(
      `/v1/payments?limit=7${cursor}`,
    );
    matches(closed({ data: listOf(PaymentPlan), 'nextCursor?': Text }), page, 'list');
    all.push(...page.data);
    if (page.nextCursor === undefined) break;
    assert.equal(page.data.length, 7);
    cursor = `&cursor=${page.nextCursor}`;
  }
  const ids = all.map(({ planId }) => planId);
  assert.deepEqual(ids, ids.toSorted().reverse());
  assert.equal(new Set(ids).size, ids.length);
  const narrowed = await service.ask<{ data: PlanBody[] }>('/v1/payments?status=ENDED&limit=100');
  assert.deepEqual(
    narrowed.data.map(({ planId }) => planId),
    all.filter(({ status }) => status === 'ENDED').map(({ planId }) => planId),
  );
});
