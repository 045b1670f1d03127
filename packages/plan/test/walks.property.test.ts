import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import {
  collectStep,
  decide,
  evolve,
  planCreated,
  planOf,
  type Effect,
  effectsOf,
  type Evidence,
  type Mode,
  nextOf,
  nextLinkVersion,
  owedLink,
  type Plan,
  type PlanCommand,
  planStatus,
  type RecordedEvent,
  type RecordedTransfer,
  type StepId,
  swapStep,
  workOf,
  evidenceWith,
} from '../src/index.ts';
import { ends, type Happening } from './endHappenings.ts';
import { pendingTransactions } from './pendingHappenings.ts';
import { assertDecision, assertPlan } from './invariants.ts';
import { assertKept, assertSpent } from './ledgerInvariants.ts';
import {
  atLog,
  confirmedAt,
  deliveredBy,
  delivery,
  depositGone,
  derived,
  evidence,
  executed,
  gone,
  hashOf,
  linkMade,
  linkMailed,
  linkOpened,
  lost,
  observed,
  paidByReference,
  paidByTransaction,
  paidInPart,
  payoutFailed,
  payoutReturned,
  recorded,
  recordedTransfer,
  reported,
  retried,
  submitted,
  swapFailed,
  toldOf,
  transfer,
  withheld,
} from './planCommands.ts';
import { executionsTwice, partsOfOne, spending } from './partHappenings.ts';
import { payments } from './payments.ts';
import { refundsOnChain } from './refundHappenings.ts';
import { LIFE_MS, MADE_AT_MS, newPlan, STEP_IDS } from './plans.ts';

const MOST_COMMANDS_A_WALK = 80;
const DAY_MS = 86_400_000;

const letter = fc.constantFrom('a', 'b', 'p');
const block = fc.constantFrom('x', 'y');
const [depositId, swapId, lastId] = STEP_IDS;
const reference = fc.constantFrom(undefined, 'R1', 'R2');
const proof = fc
  .record({
    letter,
    block,
    status: fc.constantFrom<Evidence['status']>('CONFIRMING', 'FINAL', 'FINAL', 'LOST'),
    units: fc.constantFrom(1_500n, 1_500n, 1_495n, 1_510n, 1_489n),
  })
  // A log has one amount.
  .map((told) =>
    atLog(evidence(told.letter, told.status, told.units, told.block), Number(told.units - 1_489n)),
  );

const deposits = fc
  .tuple(
    fc.constantFrom(0n, 400n, 1_000n, 1_000n, 1_000n, 1_300n),
    fc.constantFrom(false, true, true, true),
    block,
  )
  .map(
    ([units, isFinal, where]): Happening =>
      () =>
        units === 0n ? depositGone(where) : observed(units, isFinal, where),
  );

/** Confirms the transaction that the plan has, or brings a new transaction. */
const confirmations = fc.tuple(proof, fc.nat(3)).map(
  ([found, shift]): Happening =>
    (plan) => {
      const { attempts, evidence: known } = swapStep(plan);
      const attemptIndex = Math.max(0, attempts.length - 1 - (shift > 1 ? shift - 1 : 0));
      return executed(
        shift === 0 && known !== undefined
          ? { ...evidenceWith(plan, 'SWAP_OUT', known), status: 'FINAL' }
          : found,
        attemptIndex,
      );
    },
);

/** What the chain record shows: transfers of all kinds, executions, blocks that are gone. */
const recordings: fc.Arbitrary<Happening> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('d', 'e', 'g'),
      fc.constantFrom(0, 1),
      block,
      fc.constantFrom(1n, 400n, 600n, 1_000n, 1_000n, 1_300n),
      fc.constantFrom<Partial<RecordedTransfer>>(
        {},
        {},
        {},
        // A log is of one token.
        { token: `0x${'02'.repeat(20)}`, logIndex: 9 },
        { from: `0x${'0c'.repeat(20)}` },
      ),
      fc.constantFrom(7, 8, 9),
    )
    .map(
      ([name, logIndex, where, units, changes, readNumber]): Happening =>
        () =>
          recorded(
            [recordedTransfer(name, units, { logIndex, blockHash: hashOf(where), ...changes })],
            readNumber,
          ),
    ),
  fc.constantFrom(7, 8, 9).map(
    (readNumber): Happening =>
      () =>
        confirmedAt(readNumber),
  ),
  fc.tuple(proof, fc.nat(3), spending).map(
    ([found, position, spent]): Happening =>
      () =>
        executed(found, position, spent),
  ),
  executionsTwice,
  fc.tuple(fc.constantFrom(...STEP_IDS), fc.constantFrom('a', 'b', 'p', 'q', 't', 'u', 'd', 'e', 'g')).map(
    ([stepId, name]): Happening =>
      (plan) =>
        gone(plan, stepId, name),
  ),
);

const happenings: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: pendingTransactions },
  { weight: 3, arbitrary: ends },
  { weight: 4, arbitrary: refundsOnChain },
  { weight: 6, arbitrary: deposits },
  { weight: 8, arbitrary: recordings },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(400n, 1_000n, 1_200n), fc.boolean()).map(
      ([units, isNamed]): Happening =>
        () =>
          reported(units, isNamed ? [transfer('d', units.toString() as never)] : []),
    ),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('bb', 'cc'), fc.constantFrom('INTEGRATOR' as const, 'SERVICE' as const))
      .map(
        ([salt, askedBy]): Happening =>
          () =>
            derived(salt, askedBy),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('PRICE_BELOW_FLOOR' as const, 'NOT_DERIVABLE' as const).map(
      (why): Happening =>
        () =>
          withheld(why),
    ),
  },
  { weight: 7, arbitrary: confirmations },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(undefined, 'f', 'a'), fc.constantFrom('REVERTED', 'INSTRUCTIONS_EXPIRED'))
      .map(
        ([named, code]): Happening =>
          () =>
            swapFailed(named, code),
      ),
  },
  {
    weight: 2,
    arbitrary: reference.map(
      (name): Happening =>
        () =>
          paidByReference(name ?? 'R3'),
    ),
  },
  { weight: 7, arbitrary: payments },
  {
    weight: 3,
    arbitrary: fc.tuple(proof, reference).map(
      ([found, name]): Happening =>
        () =>
          paidByTransaction(found, name),
    ),
  },
  {
    weight: 2,
    arbitrary: proof.map(
      (found): Happening =>
        () =>
          paidInPart(found),
    ),
  },
  { weight: 4, arbitrary: partsOfOne },
  {
    weight: 2,
    arbitrary: reference.map(
      (name): Happening =>
        () =>
          payoutFailed(name),
    ),
  },
  {
    weight: 1,
    arbitrary: reference.map(
      (name): Happening =>
        () =>
          payoutReturned(name, 1_400n),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(swapId, lastId), letter).map(
      ([stepId, name]): Happening =>
        () =>
          lost(stepId, name),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...STEP_IDS).map(
      (stepId): Happening =>
        () =>
          retried(stepId),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Happening>(() => ({ type: 'PLAN_ENDED', force: false })) },
  { weight: 2, arbitrary: fc.constant<Happening>(() => ({ type: 'TIME_PASSED' })) },
  { weight: 1, arbitrary: fc.constant<Happening>(() => ({ type: 'RECIPIENT_REVEALED' })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...STEP_IDS, 'step_4' as StepId),
        fc.constantFrom(observed(5n), derived(), retried(depositId)),
      )
      .map(
        ([stepId, command]): Happening =>
          () =>
            toldOf(stepId, command),
      ),
  },
);

/** Links whose reason and version usually fit the plan. */
const links = fc
  .tuple(
    fc.constantFrom(
      'RESENT',
      'READDRESSED',
      'REISSUED',
      'FIRST',
      'REOPENED',
      undefined,
      undefined,
      undefined,
    ),
    fc.constantFrom(0, 0, 0, 0, 0, 0, -1, 1),
    fc.constantFrom(14 * DAY_MS, 14 * DAY_MS, 3_600_000, 0),
  )
  .map(
    ([reason, shift, lifeMs]): Happening =>
      (plan) => {
        const step = collectStep(plan);
        const version = (step === undefined ? 1 : nextLinkVersion(step)) + shift;
        const isOver = step?.status === 'FAILED' || step?.link?.state === 'EXPIRED';
        const fitting = owedLink(plan)?.reason ?? (isOver ? 'REISSUED' : 'RESENT');
        const made = linkMade(reason ?? fitting, version, plan.updatedAtMs + lifeMs);
        const isBack = step?.delivery?.status === 'RETURNED';
        return isBack ? ({ ...made, reason: 'REISSUED', endToEndId: 'FW-4' } as PlanCommand) : made;
      },
  );

/** Commands about the newest link mostly, and at times about the version before or after it. */
const ofLink = fc
  .tuple(
    fc.constantFrom<(version: number) => PlanCommand>(
      linkMailed,
      (version) => linkMailed(version, 'BOUNCED'),
      linkOpened,
      (version) => submitted(version, 'a'),
      (version) => submitted(version, 'a'),
      (version) => submitted(version, 'b'),
    ),
    fc.constantFrom(0, 0, 0, 0, 0, -1, 1),
  )
  .map(
    ([make, shift]): Happening =>
      (plan) =>
        make((collectStep(plan)?.link?.version ?? 1) + shift),
  );

const deliveries = fc
  .tuple(
    fc.constantFrom('SENT', 'SENT', 'DELIVERED', 'FAILED', 'FAILED', 'RETURNED'),
    fc.constantFrom(undefined, 'R1', 'R2', 'R3', 'R4'),
    fc.oneof(
      fc.constant({}),
      fc.record({ evidence: proof }),
      fc.record({ evidence: proof, part: fc.constant(true) }),
    ),
  )
  .map(
    ([status, name, found]): Happening =>
      () => {
        const told = delivery(status, name);
        return status === 'FAILED' ? told : { ...told, ...found };
      },
  );

/** Confirms or loses the transaction of the delivery, if there is one. */
const ofDelivery = fc.boolean().map(
  (isLost): Happening =>
    (plan) => {
      const known = collectStep(plan)?.delivery?.evidence;
      if (known === undefined) return delivery('SENT');
      const { txHash } = known;
      return isLost
        ? { type: 'EVIDENCE_LOST', stepId: lastId, txHash, cause: 'REORGANISED' }
        : deliveredBy({ ...evidenceWith(plan, 'PAYOUT', known), status: 'FINAL' });
    },
);

/** DIGITAL_COLLECT plans get all commands; STANDARD plans get collect commands now and then, and refuse them. */
const happeningsOf: Readonly<Record<Mode, fc.Arbitrary<Happening>>> = {
  STANDARD: fc.oneof({ weight: 20, arbitrary: happenings }, ofLink, deliveries),
  DIGITAL_COLLECT: fc.oneof(
    { weight: 20, arbitrary: happenings },
    { weight: 8, arbitrary: links },
    { weight: 8, arbitrary: ofLink },
    { weight: 5, arbitrary: deliveries },
    { weight: 3, arbitrary: ofDelivery },
  ),
};

/** Mostly a moment, at times an hour or the life of a plan, and sometimes a clock that goes back. */
const pauseMs = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 0, max: 70_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(3_600_000, LIFE_MS, 2 * LIFE_MS, -5_000) },
);

/** The usual commands in their order. Walks begin after some of them, because few walks get far by chance. */
const USUAL_WAY: Readonly<Record<Mode, readonly PlanCommand[]>> = {
  STANDARD: [],
  DIGITAL_COLLECT: [
    observed(1_000n),
    executed(evidence('a', 'FINAL')),
    linkMade('FIRST', 1),
    submitted(1, 'a'),
    delivery('SENT', 'R1'),
  ],
};

const walkOf = (mode: Mode) =>
  fc
    .tuple(
      fc.oneof(fc.constant(0), fc.nat(USUAL_WAY[mode].length)),
      fc.array(fc.tuple(happeningsOf[mode], pauseMs), { maxLength: MOST_COMMANDS_A_WALK, size: 'max' }),
    )
    .map(([length, steps]) => [
      ...USUAL_WAY[mode].slice(0, length).map((command): [Happening, number] => [() => command, 1_000]),
      ...steps,
    ]);

/** Freezes a value and everything in it, so that code which changes a plan in place fails at once. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}

/** Whether the command is an answer to a swap that a reorganisation took back. */
function isSettling(command: PlanCommand): boolean {
  if (command.type === 'STEP_RETRIED') return command.stepId === swapId;
  return ['INSTRUCTED', 'EXECUTION_FOUND', 'SWAP_FAILED'].includes(command.type);
}

/** Derives the effects of each event of a history anew. */
function effectsAgain(history: readonly RecordedEvent[]): (readonly Effect[])[] {
  let before: Plan | undefined;
  return history.map((event) => {
    const after = evolve(before, event);
    const effects = effectsOf(before, after);
    before = after;
    return effects;
  });
}

/** Lets the commands happen to a plan and asserts the invariants after each; a failure lists the commands. */
function walkWith(mode: Mode, steps: readonly (readonly [Happening, number])[], seen: Set<string>): void {
  let plan = frozen(newPlan({ mode }));
  let nowMs = MADE_AT_MS;
  const history: RecordedEvent[] = [{ revision: 1, atMs: nowMs, actor: 'test', ...planCreated(plan) }];
  const way: PlanCommand[] = [];
  const effects = [effectsOf(undefined, plan)];
  let isSwapLost = false;
  try {
    for (const [happening, waitedMs] of steps) {
      nowMs += waitedMs;
      const command = happening(plan);
      way.push(command);
      const decision = decide(plan, command, nowMs);
      assertDecision(plan, command, nowMs, decision);
      if (!decision.ok || decision.outcome === 'UNCHANGED') continue;
      const before = plan;
      plan = frozen(decision.plan);
      assertPlan(plan);
      assertKept(plan);
      assertSpent(before, command, plan);
      const isTakenBack = swapStep(before).evidence !== undefined && swapStep(plan).evidence === undefined;
      isSwapLost = isTakenBack || (isSwapLost && !isSettling(command));
      if (isSwapLost) assert.notEqual(workOf(plan)?.kind, 'DERIVE_INSTRUCTIONS', 'two swaps for one deposit');
      if (plan.ended !== undefined) seen.add(plan.ended.reason);
      seen.add(planStatus(plan)).add(nextOf(plan, { nowMs })?.why ?? 'NOTHING');
      if (collectStep(plan)?.rounds.some((round) => round.delivery !== undefined)) seen.add('ROUND');
      history.push({ revision: plan.revision, atMs: nowMs, actor: 'test', ...decision.event });
      effects.push(effectsOf(before, plan));
    }
    assert.deepEqual(planOf(history), plan);
    const written = JSON.parse(JSON.stringify(history)) as typeof history;
    assert.deepEqual(planOf(written), plan, 'a history survives being written down');
    assert.deepEqual(effectsAgain(written), effects);
  } catch (cause) {
    const told = way.map((command) => inspect(command, { depth: 4, breakLength: Infinity })).join('\n');
    throw new Error(`${cause instanceof Error ? cause.message : String(cause)}\nafter\n${told}`, { cause });
  }
}

/** Statuses, reasons to end and reasons of what is next that walks come by, by their words. */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const USUAL_PLACES = words(`
  IN_PROGRESS ACTION_REQUIRED COMPLETED RETURNED ENDED EXPIRED CANCELLED OTHER DEPOSIT_MISSING DEPOSIT_PARTIAL
  STEP_FAILED NOTHING_LEFT MONEY_UNEXPLAINED PRICE_BELOW_FLOOR TRANSACTION_PENDING TRANSACTION_LOST
  TRANSACTION_CONFIRMING PAYOUT_DUE PAYOUT_HELD PAYMENT_UNCLEAR MONEY_RETURNED REFUND_LOST`);
const LAST_PLACES: Readonly<Record<Mode, readonly string[]>> = {
  STANDARD: words('ACCOUNT_REFUSED'),
  DIGITAL_COLLECT: words('SEND_LINK RECIPIENT_CHOOSES LINK_FAILED LINK_ENDED PAYMENT_SENT ROUND'),
};

for (const mode of ['STANDARD', 'DIGITAL_COLLECT'] as const) {
  test(`whatever happens to a ${mode} plan, it keeps its promises and its history rebuilds it`, () => {
    const seen = new Set<string>();
    let commands = 0;
    const property = fc.property(walkOf(mode), (steps) => {
      commands += steps.length;
      walkWith(mode, steps, seen);
    });
    fc.assert(property, { seed, numRuns: runs(900) });
    assert.ok(commands >= runs(900) * 20, `${commands} commands are too few`);
    for (const place of [...USUAL_PLACES, ...LAST_PLACES[mode]])
      assert.ok(seen.has(place), `no walk came by ${place}`);
  });
}
