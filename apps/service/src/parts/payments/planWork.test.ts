import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, type Plan, type PlanCommand } from '@fairway/plan';
import type { ChainMoment, ChainWait, PlanView } from '@fairway/store';
import type { PaymentParts } from './paymentParts.ts';
import { performWork } from './planWork.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const SCOPE = { organisationId: 'org_1', environment: 'sandbox' } as const;
const AT_HEAD: ChainMoment = { chainId: 1, state: 'AT_HEAD', readNumber: 100, readTimeMs: NOW_MS };

/** How the chain stands: the record of it and what it shows, and why its market is not fresh. */
type Standing = {
  readonly moment?: Partial<ChainMoment>;
  readonly why?: string;
  readonly tries?: number;
  readonly executions?: PlanView['executions'];
  readonly isUnread?: boolean;
};

/** What became of a plan's work: the commands, the blocks that it waits for, and whether a job was set. */
type Done = {
  readonly commands: readonly PlanCommand['type'][];
  readonly waits: readonly ChainWait[];
  readonly scheduled: number;
  readonly needs: readonly (string | undefined)[];
  readonly derived: number;
  readonly outcome: string;
};

async function worked(
  plan: Plan,
  { moment, why, tries = 0, executions = [], isUnread = false }: Standing = {},
): Promise<Done> {
  const commands: PlanCommand['type'][] = [];
  const waits: ChainWait[] = [];
  const needs: (string | undefined)[] = [];
  let [scheduled, derived] = [0, 0];
  const view: PlanView = {
    moment: { ...AT_HEAD, ...moment },
    deposits: [],
    executions,
    payouts: [],
    gone: [],
    unrecorded: [],
    isUnread,
  };
  const parts = {
    corridors: { find: () => undefined },
    chains: new Map(
      why === undefined ? [] : [[1, { follower: { status: () => ({ freshness: { fresh: false, why } }) } }]],
    ),
    nowMs: () => NOW_MS,
    derive: () => {
      derived += 1;
      return Promise.resolve({ kind: 'PROBLEM', problem: { retryAfterSeconds: 2 } });
    },
    store: {
      planTag: (_planId: string, position: number) => `0x${'00'.repeat(15)}0${position.toString(16)}`,
      payments: {
        loadPlan: () => Promise.resolve({ ok: true, plan }),
        changePlan: (_scope: unknown, _planId: unknown, { type }: PlanCommand) => {
          commands.push(type);
          return Promise.resolve({ ok: true, outcome: 'CHANGED', plan });
        },
      },
      record: { view: () => Promise.resolve({ ok: true, view }) },
      jobs: {
        schedule: (_scope: unknown, _planId: unknown, _delayMs: number, lacking?: string) => {
          scheduled += 1;
          needs.push(lacking);
          return Promise.resolve({ ok: true });
        },
        awaitBlock: (_scope: unknown, _planId: unknown, wait: ChainWait) => {
          waits.push(wait);
          return Promise.resolve({ ok: true });
        },
      },
    },
    // The work under test needs only these members.
  } as unknown as PaymentParts;
  const outcome = await performWork(parts, SCOPE, 'plan_1', tries);
  return { commands, waits, scheduled, needs, derived, outcome };
}

/** A plan that waits for its deposit or, once that is DONE, for its link's end or (`isOwed`) for instructions. */
function planOf(depositStatus: 'DONE' | 'READY', isOwed = false): Plan {
  const isDone = depositStatus === 'DONE';
  const amount = amountOf(5n);
  const link = { version: 1, state: 'SENT', mail: 'ACCEPTED', expiresAtMs: NOW_MS, madeAtMs: 0, resends: 0 };
  const deposit = {
    stepId: 'step_1',
    type: 'AWAIT_DEPOSIT',
    status: depositStatus,
    expected: amount,
  };
  const evidence = isDone && !isOwed ? { evidence: { status: 'FINAL', blockNumber: 1 } } : {};
  const swap = {
    stepId: 'step_2',
    type: 'EXECUTE_SWAP',
    status: isDone && !isOwed ? 'DONE' : 'PENDING',
    expected: amount,
    attempts: [],
    ...evidence,
  };
  const collect = {
    stepId: 'step_3',
    type: 'SEND_DIGITAL_COLLECT',
    status: isDone && !isOwed ? 'READY' : 'PENDING',
    rounds: [],
  };
  return {
    planId: 'plan_1',
    expiresAtMs: NOW_MS,
    amountIn: amount,
    returns: [],
    recipient: { type: 'email' },
    corridor: {
      source: { chainId: 1, token: `0x${'02'.repeat(20)}` },
      target: { chainId: 1, token: `0x${'04'.repeat(20)}` },
      minConfirmations: 1,
    },
    options: { depositAddress: `0x${'03'.repeat(20)}` },
    steps: [deposit, swap, isDone ? { ...collect, link } : collect],
    // Only these members decide which work the plan needs.
  } as unknown as Plan;
}

test('a link expires whatever the chain does, and a deposit only at a block of that time', async () => {
  const away: Standing[] = [
    { moment: { state: 'CATCHING_UP' } },
    { moment: { state: 'NOT_SERVED', readNumber: undefined, readTimeMs: undefined } },
    { moment: { readTimeMs: NOW_MS - 1_000 } },
  ];
  for (const standing of away) {
    assert.deepEqual((await worked(planOf('DONE'), standing)).commands, ['TIME_PASSED']);
    assert.deepEqual((await worked(planOf('READY'), standing)).commands, []);
  }
  assert.deepEqual((await worked(planOf('READY'))).commands, ['TIME_PASSED']);
});

test('a plan whose time is over waits for its chain without a job of its own', async () => {
  const behind = await worked(planOf('READY'), { moment: { state: 'CATCHING_UP' } });
  assert.deepEqual([behind.waits, behind.scheduled], [[{ chainId: 1, dueBlock: 0, tries: 1 }], 0]);
  assert.equal(behind.outcome, 'WAITING');
  const early = await worked(planOf('READY'), { moment: { readTimeMs: NOW_MS - 1_000 } });
  assert.deepEqual([early.waits, early.scheduled], [[{ chainId: 1, dueBlock: 101, tries: 1 }], 0]);
});

test('nothing ends while the clocks of the process, the database and the chain differ', async () => {
  for (const why of ['CLOCK_DIFFERS', 'BLOCK_TOO_OLD', 'BLOCK_IN_FUTURE'])
    assert.deepEqual((await worked(planOf('DONE'), { why })).commands, [], why);
  for (const why of ['NO_CONTACT', 'LAGGING'])
    assert.deepEqual((await worked(planOf('DONE'), { why })).commands, ['TIME_PASSED'], why);
});

test('a process whose clock is wrong leaves what is due to another one, and waits for no block', async () => {
  for (const plan of [planOf('DONE', true), planOf('READY')]) {
    const { needs, waits, derived, commands } = await worked(plan, { why: 'CLOCK_DIFFERS', tries: 5 });
    assert.deepEqual([needs, waits, derived, commands], [['SOUND_CLOCK'], [], 0, []]);
  }
  assert.deepEqual((await worked(planOf('DONE', true), { why: 'NO_CONTACT' })).needs, []);
});

test('nothing is derived while the record of the chain is behind', async () => {
  const plan = planOf('DONE', true);
  const behind = await worked(plan, { moment: { state: 'CATCHING_UP' } });
  assert.deepEqual([behind.derived, behind.waits], [0, [{ chainId: 1, dueBlock: 0, tries: 1 }]]);
  assert.equal((await worked(plan)).derived, 1);
});

test('nothing is derived, and nothing ends, while a transaction that may be the swap is unread', async () => {
  const unread = await worked(planOf('DONE', true), { isUnread: true });
  assert.deepEqual([unread.derived, unread.waits], [0, [{ chainId: 1, dueBlock: 101, tries: 1 }]]);
  const over = await worked(planOf('READY'), { isUnread: true });
  assert.deepEqual([over.commands, over.waits], [[], [{ chainId: 1, dueBlock: 101, tries: 1 }]]);
});

test('nothing is derived while a transaction with a tag of the plan cannot be judged', async () => {
  const transfer = {
    txHash: `0x${'0a'.repeat(32)}`,
    blockHash: `0x${'0b'.repeat(32)}`,
    logIndex: 1,
  } as const;
  const place = { chainId: 1, blockNumber: 90, blockTimeMs: NOW_MS, amount: amountOf(5n) };
  const [from, to, token] = [`0x${'05'.repeat(20)}`, `0x${'06'.repeat(20)}`, `0x${'04'.repeat(20)}`] as const;
  const shown = { ...transfer, ...place, from, to, token };
  // No node of the chain answers.
  const unjudged = await worked(planOf('DONE', true), { executions: [shown] });
  assert.deepEqual([unjudged.derived, unjudged.waits], [0, [{ chainId: 1, dueBlock: 101, tries: 1 }]]);
});

test('work that the nodes prevent is tried again after 1, 2, 4 and at last every 512 blocks', async () => {
  const dueBlocks: number[] = [];
  for (const tries of [0, 1, 2, 9, 40]) {
    const { waits, scheduled } = await worked(planOf('DONE', true), { tries });
    assert.equal(scheduled, 0);
    assert.equal(waits[0]?.tries, tries + 1);
    dueBlocks.push(waits[0].dueBlock);
  }
  assert.deepEqual(dueBlocks, [101, 102, 104, 612, 612]);
});

test('plans of a chain that is away, or was taken out of the configuration, have no jobs', async () => {
  const gone = { state: 'NOT_SERVED', readNumber: undefined, readTimeMs: undefined } as const;
  for (const moment of [gone, { state: 'CATCHING_UP' } as const]) {
    // This holds for both kinds of work: instructions, and an end by the time of the chain.
    for (const plan of [planOf('DONE', true), planOf('READY')]) {
      const { scheduled, waits, outcome } = await worked(plan, { moment, tries: 3 });
      assert.deepEqual([scheduled, waits, outcome], [0, [{ chainId: 1, dueBlock: 0, tries: 4 }], 'WAITING']);
    }
  }
});

/** A plan that waits for a lost refund until now. */
function planWithLostRefund(): Plan {
  const plan = planOf('DONE', true);
  const lostRefunds = { txHashes: ['0xaa'], untilMs: NOW_MS };
  const [deposit, ...others] = plan.steps;
  // Only these members decide what is looked for.
  return { ...plan, steps: [{ ...deposit, lostRefunds }, ...others] } as unknown as Plan;
}

test('a lost refund is given up only when the chain was read up to that time', async () => {
  for (const moment of [{ state: 'CATCHING_UP' }, { readTimeMs: NOW_MS - 1_000 }] as const) {
    const away = await worked(planWithLostRefund(), { moment });
    assert.deepEqual([away.commands, away.waits.length], [[], 1]);
  }
  assert.deepEqual((await worked(planWithLostRefund())).commands, ['TIME_PASSED']);
});

test('a refund is looked for as long as it is waited for', async () => {
  const ended = { ended: { reason: 'OTHER', atMs: 0 } } as const;
  assert.equal((await worked({ ...planWithLostRefund(), ...ended })).waits.length, 1);
  const asset = { chainId: 1, address: planOf('DONE').corridor.source.token };
  const transfer = { chainId: 1, txHash: '0xaa', logIndex: 1, blockNumber: 9, blockHash: '0xbb' };
  const row = { kind: 'REFUND', side: 'SOURCE', stepId: 'step_1', asset, actual: '5', transfer };
  const ledger = [
    { ...row, movementId: 'mov_1', seq: 1, recordedAtMs: 0 },
    { ...row, movementId: 'mov_2', seq: 2, recordedAtMs: 0, reverses: 'mov_1' },
  ];
  assert.deepEqual(
    (await worked({ ...planOf('DONE', true), ...ended, ledger } as unknown as Plan)).waits,
    [],
  );
});
