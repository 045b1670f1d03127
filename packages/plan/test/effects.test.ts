import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  type Effect,
  effectsOf,
  type LinkEnd,
  type Mode,
  type NoticeOptions,
  type Plan,
  type PlanCommand,
  type PlanCommandType,
} from '../src/index.ts';
import {
  closed,
  confirmedAt,
  deliveredBy,
  delivery,
  depositGone,
  derived,
  evidence,
  executed,
  LINK_ENDS_AT_MS,
  LINK_EXPIRED,
  linkMade,
  linkMailed,
  linkOpened,
  linkRequested,
  lost,
  nativeSeen,
  observed,
  paidByReference,
  paidByTransaction,
  paidOnceMore,
  paidWithAmounts,
  payoutFailed,
  payoutInVain,
  payoutHeld,
  payoutReturned,
  payoutSent,
  recorded,
  recordedTransfer,
  refunded,
  replaced,
  reported,
  retried,
  sent,
  sentInVain,
  submitted,
  swapFailed,
  withheld,
} from './planCommands.ts';
import { COMMAND_TYPES } from './commandTypes.ts';
import { LIFE_MS, MADE_AT_MS, newPlan, STEP_IDS } from './plans.ts';
import { changedBy } from './scenarios.ts';

const [depositId, swapId, lastId] = STEP_IDS;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const EXPIRES_AT_MS = MADE_AT_MS + LIFE_MS;

const DERIVE: Effect = { kind: 'WORK_DUE', work: { kind: 'DERIVE_INSTRUCTIONS' } };
const SEND_LINK: Effect = { kind: 'WORK_DUE', work: { kind: 'SEND_LINK' } };
const NO_WORK: Effect = { kind: 'NO_WORK_DUE' };
const passTime = (atMs: number): Effect => ({ kind: 'WORK_DUE', work: { kind: 'PASS_TIME', atMs } });
const ended = (end: LinkEnd, version = 1): Effect => ({ kind: 'LINK_ENDED', stepId: lastId, version, end });
const made = (version: number, expiresAtMs = LINK_ENDS_AT_MS): Effect => ({
  kind: 'LINK_MADE',
  stepId: lastId,
  version,
  expiresAtMs,
});
const reminder = (version: number, expiresAtMs = LINK_ENDS_AT_MS): Effect => ({
  ...{ kind: 'REMINDER_WANTED', stepId: lastId, version },
  ...{ dueAtMs: expiresAtMs - DAY_MS, expiresAtMs },
});
const notice = (which: 'CONFIRMATION' | 'DELIVERED', version = 1): Effect => ({
  ...{ kind: 'NOTICE_WANTED', notice: which, stepId: lastId, version },
});

const DEPOSIT_ADDRESS = `0x${'Dd'.repeat(20)}` as const;
const WALLET = `0x${'0b'.repeat(20)}` as const;
const watched = (purpose: 'DEPOSIT' | 'BENEFICIARY', address: typeof WALLET, fromBlock: number): Effect => ({
  kind: 'ADDRESS_WATCHED',
  purpose,
  chainId: 31337,
  address,
  fromBlock,
});

/** The test's transactions are in this block. */
const AWAITED: Effect = { kind: 'CHAIN_AWAITED', chainId: 31337, dueBlock: 7 };
/** The plan is over, or open again, and is compared with its chain as soon as that is read. */
const COMPARED_AT_ONCE: Effect = { kind: 'CHAIN_AWAITED', chainId: 31337, dueBlock: 0 };

/** The wallet that the recipient chooses, from the swap's block on. */
const CHOSEN_WATCHED = watched('BENEFICIARY', `0x${'0e'.repeat(20)}`, 7);

const deposited = [observed(1_000n)];
const instructed = [...deposited, derived()];
const paidOut = [...instructed, executed(evidence('s', 'FINAL'), 1)];
const linked = [...paidOut, linkMade('FIRST', 1)];
const mailed = [...linked, linkMailed(1)];
const chosen = [...mailed, submitted(1)];
const CLOSED: PlanCommand = { type: 'PLAN_ENDED', reason: 'ABANDONED', force: false };
const ALL: NoticeOptions = { reminderBeforeMs: DAY_MS, confirmation: true, delivery: true };

/** What a command leads to after these commands. By default it happens a second after the last of them. */
type Transition = {
  readonly before: readonly PlanCommand[];
  readonly command: PlanCommand;
  readonly atMs?: number;
  readonly notices?: NoticeOptions;
  /** Whether the plan has a deposit address. */
  readonly isWatched?: true;
  /** Whether the payment needs approval. */
  readonly isHeld?: true;
  readonly effects: readonly Effect[];
};

type Table = { readonly [Type in PlanCommandType]: Readonly<Record<string, Transition>> };

const APPROVED: PlanCommand = { type: 'PLAN_APPROVED', version: 1, by: 'cred_2' };

const STANDARD: Partial<Table> = {
  DEPOSIT_REPORTED: { 'the whole': { before: [], command: reported(1_000n), effects: [DERIVE] } },
  INSTRUCTED: {
    first: { before: deposited, command: derived(), effects: [NO_WORK] },
    'for the price': { before: deposited, command: withheld('PRICE_BELOW_FLOOR'), effects: [DERIVE] },
    'for want of a route': { before: deposited, command: withheld('NOT_DERIVABLE'), effects: [DERIVE] },
  },
  EXECUTION_FOUND: {
    confirming: {
      before: instructed,
      command: executed(evidence('s', 'CONFIRMING'), 1),
      effects: [NO_WORK, AWAITED],
    },
    final: { before: instructed, command: executed(evidence('s', 'FINAL'), 1), effects: [NO_WORK, AWAITED] },
    'before its deposit': {
      before: [],
      command: executed(evidence('s', 'FINAL')),
      effects: [NO_WORK, AWAITED],
    },
    'a second time': {
      before: paidOut,
      command: executed(evidence('t', 'FINAL'), 1),
      effects: [NO_WORK, AWAITED],
    },
  },
  SWAP_FAILED: { reverted: { before: instructed, command: swapFailed(), effects: [NO_WORK] } },
  PAYOUT_REPORTED: {
    'with amounts': { before: paidOut, command: paidWithAmounts('R1', 1_500n), effects: [NO_WORK] },
    'too little': { before: paidOut, command: paidWithAmounts('R1', 1_400n), effects: [NO_WORK] },
  },
  PAYOUT_DONE: { 'by reference': { before: paidOut, command: paidByReference('R1'), effects: [NO_WORK] } },
  PAYMENT_REPEATED: {
    once: {
      before: [...paidOut, paidByTransaction(evidence('p', 'FINAL', 1_500n))],
      command: paidOnceMore(evidence('w', 'FINAL', 1_500n)),
      effects: [NO_WORK, AWAITED],
    },
  },
  PAYOUT_FAILED: { once: { before: paidOut, command: payoutFailed('R1'), effects: [NO_WORK] } },
  PAYOUT_HELD: { once: { before: paidOut, command: payoutHeld(), effects: [NO_WORK] } },
  PAYOUT_RETURNED: {
    once: { before: [...paidOut, paidByReference('R1')], command: payoutReturned('B1'), effects: [NO_WORK] },
  },
  EVIDENCE_LOST: {
    'of the swap': { before: paidOut, command: lost(swapId, 's'), effects: [NO_WORK] },
    'of the deposit': {
      before: deposited,
      command: depositGone(),
      atMs: EXPIRES_AT_MS - 2 * HOUR_MS,
      effects: [passTime(EXPIRES_AT_MS - HOUR_MS)],
    },
    'of the deposit, shortly before the end of the plan': {
      before: deposited,
      command: depositGone(),
      atMs: EXPIRES_AT_MS - HOUR_MS + 1,
      effects: [passTime(EXPIRES_AT_MS)],
    },
  },
  STEP_RETRIED: {
    'an expired deposit': {
      before: [{ type: 'TIME_PASSED' }],
      command: retried(depositId),
      atMs: EXPIRES_AT_MS + DAY_MS,
      effects: [passTime(EXPIRES_AT_MS + DAY_MS + LIFE_MS), COMPARED_AT_ONCE],
    },
    'an expired deposit to an address': {
      before: [{ type: 'TIME_PASSED' }],
      command: retried(depositId),
      atMs: EXPIRES_AT_MS + DAY_MS,
      isWatched: true,
      effects: [
        passTime(EXPIRES_AT_MS + DAY_MS + LIFE_MS),
        { kind: 'ADDRESSES_WATCHED_AGAIN' },
        COMPARED_AT_ONCE,
      ],
    },
    'a failed swap': { before: [...instructed, swapFailed()], command: retried(swapId), effects: [DERIVE] },
  },
  RECORD_READ: {
    'a part': {
      before: [],
      command: recorded([recordedTransfer('d', 400n)]),
      effects: [passTime(EXPIRES_AT_MS), AWAITED],
    },
    'all, confirmed': {
      before: [],
      command: recorded([recordedTransfer('d', 1_000n)]),
      effects: [DERIVE, AWAITED],
    },
    'all, unconfirmed': { before: [], command: observed(1_000n, false), effects: [NO_WORK, AWAITED] },
    confirmations: {
      before: [recorded([recordedTransfer('d', 1_000n)], 7)],
      command: confirmedAt(8),
      effects: [DERIVE],
    },
    'after the swap': {
      before: paidOut,
      command: recorded([recordedTransfer('e', 7n)]),
      effects: [NO_WORK, AWAITED],
    },
  },
  DEPOSIT_ADDRESS_LOST: {
    once: {
      before: [],
      command: { type: 'DEPOSIT_ADDRESS_LOST', fromBlock: 11 },
      effects: [passTime(EXPIRES_AT_MS)],
    },
  },
  EXECUTION_SUBMITTED: {
    'before the deposit': {
      before: [],
      command: sent('s', 0),
      effects: [passTime(EXPIRES_AT_MS), COMPARED_AT_ONCE],
    },
    'beside the service’s work': {
      before: [...instructed, withheld('PRICE_BELOW_FLOOR')],
      command: sent('s'),
      effects: [NO_WORK, COMPARED_AT_ONCE],
    },
    'of a payment': { before: paidOut, command: payoutSent('p'), effects: [NO_WORK, COMPARED_AT_ONCE] },
  },
  EXECUTION_ENDED: {
    'with the service’s work left': {
      before: [...instructed, withheld('PRICE_BELOW_FLOOR'), sent('s')],
      command: sentInVain('s'),
      effects: [DERIVE],
    },
    'of a payment': {
      before: [...paidOut, payoutSent('p')],
      command: payoutInVain('p', 'REPLACED'),
      effects: [NO_WORK],
    },
  },
  PLAN_ENDED: {
    unpaid: { before: [], command: { type: 'PLAN_ENDED', force: false }, effects: [NO_WORK] },
    'with a deposit address': {
      before: [],
      command: { type: 'PLAN_ENDED', force: false },
      isWatched: true,
      effects: [NO_WORK, { kind: 'ADDRESSES_RESTED' }, COMPARED_AT_ONCE],
    },
    'with a reason, and a deposit address': {
      before: [],
      command: CLOSED,
      isWatched: true,
      effects: [NO_WORK, { kind: 'ADDRESSES_RESTED' }, COMPARED_AT_ONCE],
    },
    'with a reason, of a plan that is over': {
      before: [{ type: 'PLAN_ENDED', force: false }],
      command: CLOSED,
      effects: [NO_WORK],
    },
  },
  NATIVE_SEEN: {
    'at the address of a plan that is over': {
      before: [{ type: 'PLAN_ENDED', force: false }],
      command: nativeSeen(5n),
      isWatched: true,
      effects: [NO_WORK],
    },
  },
  PLAN_APPROVED: {
    'before the deposit': { before: [], command: APPROVED, isHeld: true, effects: [passTime(EXPIRES_AT_MS)] },
    'when the deposit is there': { before: deposited, command: APPROVED, isHeld: true, effects: [DERIVE] },
  },
  RECIPIENT_REPLACED: {
    'by a wallet': {
      before: [...paidOut, payoutFailed('R1')],
      command: replaced('a'),
      effects: [NO_WORK, watched('BENEFICIARY', `0x${'0e'.repeat(20)}`, 100)],
    },
  },
  REFUND_RECORDED: {
    'of the deposit': {
      before: [recorded([recordedTransfer('d', 1_000n)])],
      command: refunded('B1', 1_000n),
      effects: [NO_WORK],
    },
  },
  TIME_PASSED: {
    'to the end of the plan': {
      before: [],
      command: { type: 'TIME_PASSED' },
      atMs: EXPIRES_AT_MS,
      effects: [NO_WORK],
    },
  },
  RECIPIENT_REVEALED: {
    'with the same work as before': {
      before: [],
      command: { type: 'RECIPIENT_REVEALED' },
      effects: [passTime(EXPIRES_AT_MS)],
    },
  },
};

const DIGITAL_COLLECT: Partial<Table> = {
  EXECUTION_FOUND: {
    final: {
      before: instructed,
      command: executed(evidence('s', 'FINAL'), 1),
      effects: [SEND_LINK, AWAITED],
    },
  },
  LINK_MADE: {
    first: {
      before: paidOut,
      command: linkMade('FIRST', 1),
      effects: [passTime(LINK_ENDS_AT_MS), made(1), reminder(1)],
    },
    'first, without a reminder': {
      before: paidOut,
      command: linkMade('FIRST', 1),
      notices: { confirmation: true, delivery: true },
      effects: [passTime(LINK_ENDS_AT_MS), made(1)],
    },
    resent: {
      before: mailed,
      command: linkMade('RESENT', 2),
      atMs: MADE_AT_MS + DAY_MS,
      effects: [passTime(LINK_ENDS_AT_MS), ended('SUPERSEDED'), made(2), reminder(2)],
    },
    'reissued after it expired': {
      before: [...mailed, LINK_EXPIRED],
      command: linkMade('REISSUED', 2, LINK_ENDS_AT_MS + 2 * DAY_MS),
      effects: [
        passTime(LINK_ENDS_AT_MS + 2 * DAY_MS),
        made(2, LINK_ENDS_AT_MS + 2 * DAY_MS),
        reminder(2, LINK_ENDS_AT_MS + 2 * DAY_MS),
      ],
    },
    'reopened after a delivery failed': {
      before: [...chosen, delivery('FAILED', 'R1')],
      command: linkMade('REOPENED', 2),
      effects: [passTime(LINK_ENDS_AT_MS), made(2), reminder(2)],
    },
  },
  LINK_MAILED: {
    accepted: { before: linked, command: linkMailed(1), effects: [passTime(LINK_ENDS_AT_MS)] },
    bounced: { before: linked, command: linkMailed(1, 'BOUNCED'), effects: [passTime(LINK_ENDS_AT_MS)] },
  },
  LINK_REQUESTED: {
    once: { before: [...mailed, LINK_EXPIRED], command: linkRequested(1), effects: [NO_WORK] },
  },
  LINK_OPENED: { once: { before: mailed, command: linkOpened(1), effects: [passTime(LINK_ENDS_AT_MS)] } },
  COLLECT_SUBMITTED: {
    first: {
      before: mailed,
      command: submitted(1),
      effects: [NO_WORK, ended('USED'), notice('CONFIRMATION'), CHOSEN_WATCHED],
    },
    'first, without notices': {
      before: mailed,
      command: submitted(1),
      notices: {},
      effects: [NO_WORK, ended('USED'), CHOSEN_WATCHED],
    },
  },
  DELIVERY_REPORTED: {
    sent: { before: chosen, command: delivery('SENT', 'R1'), effects: [NO_WORK] },
    delivered: {
      before: chosen,
      command: delivery('DELIVERED', 'R1'),
      effects: [NO_WORK, notice('DELIVERED'), { kind: 'ADDRESSES_RESTED' }],
    },
    failed: { before: chosen, command: delivery('FAILED', 'R1'), effects: [SEND_LINK] },
    returned: {
      before: [...chosen, delivery('DELIVERED', 'R1')],
      command: delivery('RETURNED', 'B1'),
      effects: [NO_WORK],
    },
  },
  PLAN_ENDED: {
    'with a link': {
      before: mailed,
      command: closed(),
      effects: [NO_WORK, ended('CANCELLED')],
    },
  },
  EVIDENCE_LOST: {
    'of the swap, with a link': {
      before: mailed,
      command: lost(swapId, 's'),
      effects: [NO_WORK, ended('CANCELLED')],
    },
    'of the delivery': {
      before: [...chosen, deliveredBy(evidence('p', 'FINAL'))],
      command: lost(lastId, 'p'),
      effects: [NO_WORK, { kind: 'ADDRESSES_WATCHED_AGAIN' }],
    },
  },
  TIME_PASSED: {
    'to the end of the link': {
      before: mailed,
      command: { type: 'TIME_PASSED' },
      atMs: LINK_ENDS_AT_MS,
      effects: [NO_WORK, ended('EXPIRED')],
    },
  },
};

const TABLES: Readonly<Record<Mode, Partial<Table>>> = { STANDARD, DIGITAL_COLLECT };

const EFFECT_KINDS: Readonly<Record<Effect['kind'], true>> = {
  WORK_DUE: true,
  NO_WORK_DUE: true,
  LINK_ENDED: true,
  LINK_MADE: true,
  REMINDER_WANTED: true,
  NOTICE_WANTED: true,
  ADDRESS_WATCHED: true,
  ADDRESSES_RESTED: true,
  ADDRESSES_WATCHED_AGAIN: true,
  CHAIN_AWAITED: true,
};

/** A plan after these commands. */
function planBefore(mode: Mode, { before: commands, notices = ALL, isWatched, isHeld }: Transition): Plan {
  const address = isWatched === true ? { depositAddress: DEPOSIT_ADDRESS } : {};
  const options = { slippageBps: 50, collectLifeMs: 14 * DAY_MS, notices, ...address };
  return commands.reduce(
    (plan, command) => changedBy(plan, command),
    newPlan({ mode, options }, isHeld === true ? { paymentApproval: { above: amountOf(0n) } } : {}),
  );
}

for (const mode of ['STANDARD', 'DIGITAL_COLLECT'] as const) {
  test(`a new ${mode} plan leaves its expiry to the service`, () => {
    assert.deepEqual(effectsOf(undefined, newPlan({ mode })), [passTime(EXPIRES_AT_MS)]);
  });

  for (const [type, transitions] of Object.entries(TABLES[mode])) {
    for (const [name, transition] of Object.entries(transitions)) {
      const { command, atMs, effects } = transition;
      test(`${type} of a ${mode} plan has its effects: ${name}`, () => {
        assert.equal(command.type, type);
        const plan = planBefore(mode, transition);
        const after = changedBy(plan, command, atMs);
        assert.deepEqual(effectsOf(plan, after), effects);
        assert.deepEqual(effectsOf(after, structuredClone(after)), []);
      });
    }
  }
}

test('the deposit address and the wallet to be paid are watched from the plan’s first block on', () => {
  const recipient = { type: 'wallet', chainId: 31337, address: WALLET, fingerprint: 'f1' } as const;
  const options = { slippageBps: 50, collectLifeMs: DAY_MS, depositAddress: DEPOSIT_ADDRESS };
  assert.deepEqual(effectsOf(undefined, newPlan({ recipient, options })).slice(1), [
    watched('DEPOSIT', `0x${'dd'.repeat(20)}`, 100),
    watched('BENEFICIARY', WALLET, 100),
  ]);
});

test('the tables have a row for every command type and for every kind of effect', () => {
  const tables = Object.values(TABLES);
  const types = new Set(tables.flatMap((table) => Object.keys(table)));
  assert.deepEqual([...types].toSorted(), Object.keys(COMMAND_TYPES).toSorted());
  const transitions = tables.flatMap((table) => Object.values(table)).flatMap((rows) => Object.values(rows));
  const kinds = new Set(transitions.flatMap(({ effects }) => effects.map(({ kind }) => kind)));
  assert.deepEqual([...kinds].toSorted(), Object.keys(EFFECT_KINDS).toSorted());
});
