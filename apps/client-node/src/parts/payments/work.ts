import type { Refusal } from '@fairway/relay';
import { ProblemError, UnknownProblemError } from '@fairway/sdk';
import type { PaymentPlan, Payments } from '@fairway/sdk/payments';
import type { Logger } from 'pino';
import {
  endPayment,
  findPayment,
  type KeptPayment,
  notePayment,
  openPayments,
  paying,
  PLAN_REFUSED,
  reserve,
  takeAttempt,
} from '../../platform/database/payments.ts';
import type { Database } from '../../platform/database/schema.ts';
import { balanceShort } from '../../platform/relaying/balanceShort.ts';
import { latestSeconds, tokenBalanceOf } from '../../platform/relaying/callFacts.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';
import { type Rounds, startRounds } from '../../platform/relaying/rounds.ts';
import { type Relayers, saidOf } from '../executions/index.ts';
import { type Lane, lanesOf } from './paymentRequest.ts';
import { callOf, type NextOfPlan, nextOf, proposalOf } from './planPayment.ts';

/** What payments are worked on with. */
export type PaymentWorkOptions = {
  readonly database: Database;
  readonly relayers: Relayers;
  readonly payments: Pick<Payments, 'get' | 'again' | 'steps'>;
  /** How long to wait for the next look where nobody wakes it. */
  readonly pauseMs: number;
  readonly log: Pick<Logger, 'warn'>;
};

/** The work on the payments of all relayers. */
export type PaymentWork = {
  /** Says that a relayer has something to do. */
  wake(relayerId: string): void;
  stop(): Promise<void>;
};

/** So that one plan does not hold up the others. */
const CALL = { budgetMs: 5_000 } as const;

/**
 * Looks at every open payment, again and again, and does the node's part of its plan. Each relayer has rounds of its own, so
 * that a chain that is away does not hold up the payments of others.
 */
export function startPaymentWork(options: PaymentWorkOptions): PaymentWork {
  const rounds = new Map(
    [...options.relayers.values()].map((each) => [each.relayerId, workOf(options, each)]),
  );
  return {
    wake: (relayerId) => rounds.get(relayerId)?.wake(),
    async stop() {
      await Promise.all([...rounds.values()].map((each) => each.stop()));
    },
  };
}

function workOf({ relayers: _all, ...options }: PaymentWorkOptions, relayer: Relayer): Rounds {
  const { database, pauseMs, log } = options;
  /** What this process has told the service of. */
  const told = new Set<string>();
  return startRounds({
    pauseMs,
    onFailed: (error) => log.warn({ err: error }, 'The payments could not be read'),
    async round(stopping) {
      if (relayer.state() === 'STARTING') return;
      for (const paymentId of await openPayments(database, relayer.relayerId)) {
        if (stopping.aborted) return;
        await advancePayment({ ...options, relayer }, told, paymentId).catch((error: unknown) =>
          log.warn({ err: error, paymentId }, 'A payment could not go on; it is tried again'),
        );
      }
    },
  });
}

/** What the payments of one relayer are worked on with. */
type OneRelayer = Omit<PaymentWorkOptions, 'relayers'> & { readonly relayer: Relayer };

/** Each refusal of a plan costs a cancellation. */
const MOST_REFUSED = 3;

/** Does what one payment needs of the node now. */
async function advancePayment(options: OneRelayer, told: Set<string>, paymentId: string): Promise<void> {
  const { database, payments } = options;
  const kept = await findPayment(database, paymentId);
  if (kept === undefined) return;
  const final = kept.executions.find((each) =>
    paying(each).some(({ outcome }) => outcome?.as === 'CONFIRMED'),
  );
  await reportDone(payments, told, kept);
  if (final !== undefined) return endPayment(database, paymentId, 'PAID');
  const transactions = kept.executions.flatMap((each) => each.transactions);
  // What was taken on comes to its end first. Only then it is known whether other calls may be executed.
  if (transactions.some(({ outcome }) => outcome === undefined)) return;
  const withdrawn = transactions.find((each) => each.isCancelAsked && each.refusal === undefined);
  if (withdrawn !== undefined) return endPayment(database, paymentId, 'NOT_PAID', { code: 'CANCELLED' });
  const refused = transactions.filter((each) => each.refusal?.code === PLAN_REFUSED);
  if (refused.length >= MOST_REFUSED) return endPayment(database, paymentId, 'NOT_PAID', refused[0]?.refusal);
  const [lane] = lanesOf([options.relayer], kept.corridorId);
  if (lane === undefined) return notePayment(database, paymentId, NO_CORRIDOR);
  const nowMs = Number(await latestSeconds(lane.relayer.request)) * 1000;
  if (kept.validUntilMs !== undefined && kept.validUntilMs <= nowMs)
    return endPayment(database, paymentId, 'NOT_PAID', { code: 'EXPIRED' });
  const plan = await payments.get(kept.planId, CALL);
  if ((Object(plan) as Partial<PaymentPlan>).planId !== kept.planId)
    throw new Error('The service answered with something else than the plan.');
  const next = nextOf(plan);
  if (next === undefined) return endPayment(database, paymentId, 'NOT_PAID', { code: 'PLAN_ENDED' });
  const refusal = await doNext(options, { kept, lane, next, nowMs, said: saidOf(plan) });
  if (refusal?.code !== kept.refusal?.code || refusal?.detail !== kept.refusal?.detail)
    await notePayment(database, paymentId, refusal);
}

const NO_CORRIDOR: Refusal = {
  ...{ code: 'CORRIDOR_NOT_ALLOWED', rule: 'chains.*.corridors' },
  detail: 'The policy of the node does not name the corridor any more.',
};

/** Says that a transaction of the payment was mined. The service finds it by itself, too. */
async function reportDone(
  payments: PaymentWorkOptions['payments'],
  told: Set<string>,
  { planId, executions }: KeptPayment,
): Promise<void> {
  for (const { stepId, ...execution } of executions)
    for (const { inclusion, attempts } of paying(execution)) {
      const isOurs = attempts.some(({ hash, purpose }) => hash === inclusion?.hash && purpose === 'EXECUTE');
      if (inclusion?.succeeded !== true || !isOurs || stepId === undefined || told.has(inclusion.hash))
        continue;
      try {
        await payments.steps.report(planId, stepId, { outcome: 'DONE', txHash: inclusion.hash }, CALL);
      } catch (error) {
        if (!(error instanceof ProblemError || error instanceof UnknownProblemError)) throw error;
      }
      told.add(inclusion.hash);
    }
}

const EXECUTED_BEFORE: Refusal = {
  code: 'EXECUTED_BEFORE',
  detail: 'Calls of this payment were executed before, so that no others are signed.',
};

type Turn = {
  readonly kept: KeptPayment;
  readonly lane: Lane;
  readonly next: NextOfPlan;
  readonly nowMs: number;
  readonly said: ReturnType<typeof saidOf>;
};

/** Why it does not go on now; undefined where it does, or where it is the turn of somebody else. */
async function doNext(options: OneRelayer, turn: Turn): Promise<Refusal | undefined> {
  const { next, kept } = turn;
  const { payments } = options;
  switch (next.do) {
    case 'SEND':
      return (await setAside(options, turn)) ?? reportFunded(options, turn);
    case 'EXECUTE':
      // A client may report the deposit itself, so that nothing was set aside before.
      return (await setAside(options, turn)) ?? executeCalls(options, turn);
    case 'DECIDE':
      // Nothing that was taken on can be executed any more, so that other calls may be asked for.
      if (next.why === 'INSTRUCTIONS_EXPIRED' && next.options.includes('again'))
        await payments.again(kept.planId, {}, CALL);
      return undefined;
    default:
      return undefined;
  }
}

/** Sets aside what the payment needs, of what the relayer has. */
async function setAside({ database }: OneRelayer, { kept, lane }: Turn): Promise<Refusal | undefined> {
  if (kept.isReserved) return undefined;
  const { relayer } = lane;
  const { tokenIn: token, amountIn: needs } = kept;
  const balance = await tokenBalanceOf(relayer.request, token, relayer.address);
  const reserved = await reserve(database, kept, balance);
  if (reserved.isEnough) return undefined;
  return balanceShort(relayer, { what: 'payment', token, balance, needs, planIds: reserved.planIds });
}

/** The deposit is what the relayer has, so that nothing is sent for it. */
async function reportFunded({ payments }: OneRelayer, { kept, next }: Turn): Promise<undefined> {
  if (next.stepId !== undefined)
    await payments.steps.report(kept.planId, next.stepId, { outcome: 'DONE' }, CALL);
}

/** Judges the calls of a plan, and takes them on. */
async function executeCalls(
  { database }: OneRelayer,
  { kept, lane, next, nowMs, said }: Turn,
): Promise<Refusal | undefined> {
  const { attemptId, stepId, calls: given } = next;
  const proposal = proposalOf(kept, lane, given);
  if ('code' in proposal) return proposal;
  if (attemptId === undefined || stepId === undefined)
    return { code: 'ANSWER_CALLS', detail: 'The plan does not say whose calls they are.' };
  const { relayer, corridor } = lane;
  const grounds = { asked: proposal.asked, said };
  const judged = await relayer.judgeNew({ ...proposal, said }, kept.paymentId);
  if (!judged.allowed) return judged.refusals[0];
  const isSwap = corridor.tokenIn !== corridor.tokenOut;
  const lifeEndsMs = isSwap ? nowMs + relayer.chainPolicy.maxLifeSec * 1000 : undefined;
  const taken = await takeAttempt(database, kept, {
    ...{ attemptId, stepId, grounds, takes: judged.takes },
    calls: judged.calls.map((call) => callOf(call, proposal.asked, lifeEndsMs)),
  });
  relayer.wake();
  return taken.taken ? undefined : (taken.refusal ?? EXECUTED_BEFORE);
}
