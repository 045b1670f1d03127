import {
  collectStep,
  decide,
  type Decision,
  depositOf,
  isLinkLive,
  type Mode,
  nextLinkVersion,
  type Plan,
  type PlanCommand,
  type SendDigitalCollectStep,
  type Step,
  swapStep,
} from '../src/index.ts';
import { RESEND_AFTER_MS } from '../src/collect/rules.ts';
import {
  allRefunded,
  closed,
  deliveredBy,
  delivery,
  depositGone,
  derived,
  evidence,
  executed,
  linkMade,
  linkMailed,
  linkOpened,
  linkRequested,
  lost,
  nativeSeen,
  observed,
  paidAgain,
  paidByReference,
  paidByTransaction,
  payoutFailed,
  payoutHeld,
  payoutReturned,
  payoutSent,
  recorded,
  recordedTransfer,
  refunded,
  replaced,
  reported,
  retried,
  submitted,
  swapFailed,
  withheld,
} from './planCommands.ts';
import { newPlan, STEP_IDS } from './plans.ts';

const [depositId, swapId, lastId] = STEP_IDS;
/** Longer than the life of a plan and of a link. */
const AGES_MS = 60 * 86_400_000;

/** Something that can happen, with a name for failures of tests. */
export type NamedCommand = {
  readonly name: string;
  readonly command: PlanCommand;
  readonly waitedMs?: number;
};

/** One command of every kind and of every outcome that its kind can have. */
export function everyCommand(plan: Plan): readonly NamedCommand[] {
  const latest = Math.max(0, swapStep(plan).attempts.length - 1);
  const commands: Record<string, PlanCommand> = {
    'see nothing': recorded([]),
    'see 400': recorded([recordedTransfer('e', 400n)]),
    'see 1000 unconfirmed': observed(1_000n, false),
    'see 1000': observed(1_000n),
    'see 1300': observed(1_300n),
    'report 999': reported(999n),
    'report 1000': reported(1_000n),
    'see native currency': nativeSeen(5n),
    derive: derived(),
    'withhold for the price': withheld('PRICE_BELOW_FLOOR'),
    'withhold for want of a route': withheld('NOT_DERIVABLE'),
    'swap confirming': executed(evidence('s', 'CONFIRMING'), latest),
    'swap final': executed(evidence('s', 'FINAL'), latest),
    'first swap confirming': executed(evidence('s', 'CONFIRMING'), 0),
    'swap final in another block': executed(evidence('s', 'FINAL', 1_500n, 'y'), latest),
    'other swap final': executed(evidence('t', 'FINAL'), latest),
    'swap of too little': executed(evidence('s', 'FINAL', 1_489n), latest),
    'swap of no attempt': executed(evidence('s', 'FINAL'), 99),
    'swap that is lost': executed(evidence('s', 'LOST'), latest),
    'swap failed': swapFailed(),
    'swap failed in f': swapFailed('f'),
    'swap lost': lost(swapId, 's'),
    'unknown swap lost': lost(swapId, 'u'),
    'paid by reference': paidByReference('R1'),
    'paid by other reference': paidByReference('R2'),
    'payment confirming': paidByTransaction(evidence('p', 'CONFIRMING')),
    'payment final': paidByTransaction(evidence('p', 'FINAL')),
    'payment of too little': paidByTransaction(evidence('p', 'FINAL', 1_499n)),
    'payment lost': lost(lastId, 'p'),
    'payout failed': payoutFailed('R1'),
    'payout returned': payoutReturned('R1'),
    held: payoutHeld(),
    'payment sent': payoutSent('p'),
    'deposit lost': lost(depositId, 'd'),
    'deposit gone': depositGone(),
    'retry deposit': retried(depositId),
    'retry swap': retried(swapId),
    'retry last': retried(lastId),
    'pay again': paidAgain(),
    'replace recipient a': replaced('a'),
    'replace recipient b': replaced('b'),
    'refund 1 of the deposit': refunded('refund of 1', 1n),
    'refund what is left': allRefunded(plan),
    close: closed(),
    'close by force': closed({ force: true }),
    'close with a note': closed({ note: 'nothing is left' }),
    cancel: { type: 'PLAN_ENDED', force: false },
    'a moment passes': { type: 'TIME_PASSED' },
    reveal: { type: 'RECIPIENT_REVEALED' },
  };
  const named = Object.entries(commands).map(([name, command]) => ({ name, command }));
  const collecting = plan.mode === 'DIGITAL_COLLECT' ? collectCommands(plan) : [];
  return [
    ...named,
    ...collecting,
    { name: 'ages pass', command: { type: 'TIME_PASSED' }, waitedMs: AGES_MS },
  ];
}

/** One command of every kind and outcome about a link and what comes of it. */
function collectCommands(plan: Plan): readonly NamedCommand[] {
  const step = collectStep(plan)!;
  const next = nextLinkVersion(step);
  const current = next - 1;
  const endsAtMs = plan.updatedAtMs + plan.options.collectLifeMs;
  const { recipient: _recipient, ...toNobody } = linkMade('READDRESSED', next, endsAtMs) as LinkMade;
  const commands: Record<string, PlanCommand> = {
    'first link': linkMade('FIRST', next, endsAtMs),
    'link resent at once': linkMade('RESENT', next, endsAtMs),
    'link reissued': linkMade('REISSUED', next, endsAtMs),
    'link reopened': linkMade('REOPENED', next, endsAtMs),
    'link reissued after a return': {
      ...linkMade('REISSUED', next, endsAtMs),
      endToEndId: 'FW-again',
    } as PlanCommand,
    'first link of a used version': linkMade('FIRST', current, endsAtMs),
    'first link that is over': linkMade('FIRST', next, plan.updatedAtMs),
    'mail accepted': linkMailed(current),
    'mail bounced': linkMailed(current, 'BOUNCED'),
    'mail of an older link accepted': linkMailed(current - 1),
    'mail of no link accepted': linkMailed(next),
    opened: linkOpened(current),
    'older link opened': linkOpened(current - 1),
    'no link opened': linkOpened(next),
    'link requested': linkRequested(current),
    'link requested with an older one': linkRequested(current - 1),
    'link requested with none': linkRequested(next),
    'submitted a': submitted(current, 'a'),
    'submitted b': submitted(current, 'b'),
    'submitted with an older link': submitted(current - 1, 'a'),
    'submitted with no link': submitted(next, 'a'),
    'sent as R1': delivery('SENT', 'R1'),
    'sent as R2': delivery('SENT', 'R2'),
    'delivered as R1': delivery('DELIVERED', 'R1'),
    'delivery failed as R1': delivery('FAILED', 'R1'),
    'delivery failed': delivery('FAILED'),
    'delivery returned as B1': delivery('RETURNED', 'B1'),
    'delivery confirming': deliveredBy(evidence('p', 'CONFIRMING')),
    'delivery final': deliveredBy(evidence('p', 'FINAL')),
    'delivery final as R1': deliveredBy(evidence('p', 'FINAL'), 'R1'),
    'other delivery final': deliveredBy(evidence('q', 'FINAL')),
    'delivery of too little': deliveredBy(evidence('p', 'FINAL', 1_489n)),
    'delivery that is lost': deliveredBy(evidence('p', 'LOST')),
  };
  const waited: Record<string, PlanCommand> = {
    'link resent': linkMade('RESENT', next, endsAtMs),
    'link readdressed': linkMade('READDRESSED', next, endsAtMs),
    'link readdressed to nobody': toNobody,
  };
  const late: Record<string, PlanCommand> = {
    'link resent too late': linkMade('RESENT', next, endsAtMs + AGES_MS),
    'link reissued late': linkMade('REISSUED', next, endsAtMs + AGES_MS),
    'opened too late': linkOpened(current),
    'submitted too late': submitted(current, 'a'),
  };
  return [
    ...Object.entries(commands).map(([name, command]) => ({ name, command })),
    ...Object.entries(waited).map(([name, command]) => ({ name, command, waitedMs: RESEND_AFTER_MS })),
    ...Object.entries(late).map(([name, command]) => ({ name, command, waitedMs: AGES_MS })),
  ];
}

type LinkMade = Extract<PlanCommand, { type: 'LINK_MADE' }>;

/** A plan, and the names of the commands that led there. */
export type Reached = { readonly plan: Plan; readonly way: readonly string[] };

/** What a command does to a plan a second after its last change, or after the time that the command waits. */
export function outcomeOf(plan: Plan, { command, waitedMs = 1_000 }: NamedCommand): Decision {
  return decide(plan, command, plan.updatedAtMs + waitedMs);
}

/**
 * The commands that lead to a collect step and take it back. All other commands of a deposit and a swap are tried with a
 * STANDARD plan. Together with all that can happen to a link they would be too many.
 */
const WAYS_TO_COLLECT = ['see 1000', 'swap confirming', 'swap final', 'swap lost', 'held', 'ages pass'];
/**
 * Commands that differ from others only in a name: they are tried with every plan, but no further plan is built on them.
 */
const NAMESAKES = ['submitted b', 'sent as R2', 'other delivery final', 'delivery final as R1'];
/** Commands that end a plan or pay it again: ends.test.ts builds on them, with fewer other commands. */
const ENDS = [
  'pay again',
  'replace recipient a',
  'replace recipient b',
  'refund 1 of the deposit',
  'refund what is left',
  'close',
  'close by force',
  'close without a word about the money',
  'link reissued after a return',
  'see native currency',
];

function leadsOn(plan: Plan): readonly NamedCommand[] {
  if (plan.mode === 'STANDARD') return everyCommand(plan).filter(({ name }) => !ENDS.includes(name));
  const shared = everyCommand(plan).filter(({ name }) => WAYS_TO_COLLECT.includes(name));
  if (swapStep(plan).status !== 'DONE') return shared;
  const collecting = collectCommands(plan).filter(
    ({ name }) => !NAMESAKES.includes(name) && !ENDS.includes(name),
  );
  return [...shared, { name: 'payment lost', command: lost(lastId, 'p') }, ...collecting];
}

/** Every state that commands can lead to from a new plan, nearest first, each with a shortest list of commands. */
export function reachable(mode: Mode): readonly Reached[] {
  const fresh = newPlan({ mode });
  const found = new Map<string, Reached>([[finely(fresh), { plan: fresh, way: [] }]]);
  for (const { plan, way } of found.values()) {
    for (const named of leadsOn(plan)) {
      const decision = outcomeOf(plan, named);
      if (!decision.ok || found.has(finely(decision.plan))) continue;
      found.set(finely(decision.plan), { plan: decision.plan, way: [...way, named.name] });
    }
  }
  return [...found.values()];
}

/** A plan as one line: its steps, their evidence, and the outcome of the swap so far. */
function standing(plan: Plan): string {
  const { attempts } = swapStep(plan);
  const steps = plan.steps.map((step) => {
    const proof = 'evidence' in step && step.evidence !== undefined ? ` ${step.evidence.status}` : '';
    const held = 'hold' in step ? ' held' : '';
    return `${step.type} ${step.status}${proof}${collected(step)}${held}`;
  });
  const tried = attempts.findLast(({ outcome }) => outcome !== 'SUPERSEDED')?.outcome ?? 'NONE';
  const ends = [plan.ended?.reason, plan.returns.length > 0 ? 'RETURNED' : undefined].filter(
    (end) => end !== undefined,
  );
  return [...ends, ...steps, `the last attempt that counts ${tried}`].join(', ');
}

/** How a collect step's link and delivery stand, as words after a space; empty for other steps. */
function collected(step: Step): string {
  if (step.type !== 'SEND_DIGITAL_COLLECT') return '';
  const { link, delivery: paid, rounds } = step;
  const told = [
    link === undefined ? undefined : `link ${link.state}${isLinkLive(link) ? ` ${link.mail}` : ''}`,
    paid === undefined ? undefined : `delivery ${paid.status}`,
    paid?.evidence?.status,
    rounds.length === 0 ? undefined : 'after a round',
  ];
  return told.map((part) => (part === undefined ? '' : ` ${part}`)).join('');
}

/** The same line with everything else that can make a difference to the next command. */
function finely(plan: Plan): string {
  const { attempts, withheld: why } = swapStep(plan);
  const outcomes = attempts.map(({ outcome, failure }) => `${outcome}${failure === undefined ? '' : '!'}`);
  const last = plan.steps.at(-1);
  const isFailedOnce = last?.type === 'CUSTODIAN_PAYOUT' && last.attempts.length > 0;
  // For older attempts only their outcomes matter, not how many there were.
  const older = [...new Set(outcomes.slice(0, -1))].sort();
  const { outcome, transfers } = depositOf(plan);
  return JSON.stringify([
    standing(plan),
    [outcome, transfers.length, why?.reason, older, outcomes.at(-1), isFailedOnce],
    last?.type === 'SEND_DIGITAL_COLLECT' && collectedFinely(last),
  ]);
}

/** For rounds and resends it only matters whether there are any. */
function collectedFinely({ link, delivery: paid, rounds }: SendDigitalCollectStep): readonly unknown[] {
  return [
    link !== undefined && (link.resends === 0 ? 'none' : 'some'),
    paid?.providerReference,
    paid?.evidence?.txHash,
    [...new Set(rounds.map((round) => round.delivery?.providerReference ?? typeof round.delivery))].sort(),
  ];
}
