import assert from 'node:assert/strict';
import {
  collectStep,
  decide,
  dueStep,
  isLinkLive,
  NEXT,
  type Next,
  nextLinkVersion,
  type NextOption,
  owedLink,
  type Plan,
  type PlanCommand,
  planStatus,
} from '../src/index.ts';
import { hasRefundable } from '../src/book/equations.ts';
import {
  atLog,
  closed,
  delivery,
  derived,
  evidence,
  executed,
  linkMade,
  paidByReference,
  paidByTransaction,
  paidInPart,
  payoutFailed,
  payoutSent,
  replaced,
  reported,
  sent,
  swapFailed,
} from './planCommands.ts';

/** The longest life of a link in the tests. */
const LINK_LIFE_MS = 14 * 86_400_000;

/** The commands that each option can become, at least one of which a plan that shows it takes. */
const COMMANDS: Readonly<Record<Exclude<NextOption, 'refunds'>, (plan: Plan) => readonly PlanCommand[]>> = {
  end: () => [closed({ force: true })],
  again: (plan) => [again(plan), replaced('z')],
  reports: (plan) => [
    reported(2_000n),
    sent('5', 0, {}),
    payoutSent('5', {}),
    executed(evidence('5', 'FINAL')),
    swapFailed(),
    payoutFailed('another payment'),
    paidByReference('another payment'),
    ...[1_500n, 5n].flatMap((units) => {
      const proof = atLog(evidence('6', 'FINAL', units), 60);
      return [paidByTransaction(proof), paidInPart(proof)];
    }),
    ...(['SENT', 'DELIVERED', 'FAILED'] as const).map((status) => delivery(status, 'another payment')),
    ...plan.returns.slice(0, 1).map((): PlanCommand => delivery('RETURNED', 'another return')),
  ],
};

/** What POST …/again does without a recipient. */
function again(plan: Plan): PlanCommand {
  const collect = collectStep(plan);
  if (collect !== undefined && plan.ended === undefined && collect.status !== 'PENDING') {
    const { link } = collect;
    const isReplaced = link === undefined || isLinkLive(link) || owedLink(plan) !== undefined;
    const ends = plan.updatedAtMs + LINK_LIFE_MS;
    const made = linkMade(isReplaced ? 'RESENT' : 'REISSUED', nextLinkVersion(collect), ends);
    return { ...made, endToEndId: 'FW-5' } as PlanCommand;
  }
  const step = plan.steps.find(({ status }) => status === 'FAILED') ?? dueStep(plan) ?? plan.steps.at(-1);
  const { stepId, type, status } = step ?? assert.fail();
  if (type === 'EXECUTE_SWAP' && status !== 'FAILED') return { ...derived('5a'), force: true } as PlanCommand;
  const endToEndId = planStatus(plan) === 'RETURNED' ? { endToEndId: 'FW-5' } : {};
  return { type: 'STEP_RETRIED', stepId, force: true, ...endToEndId };
}

/** Asserts that a plan takes each option that its next action shows. */
export function assertOptions(plan: Plan, action: Next | undefined): void {
  // What time has ended is no choice any more, once the service has seen it.
  const passed = decide(plan, { type: 'TIME_PASSED' }, plan.updatedAtMs);
  if (action === undefined || (passed.ok && passed.outcome === 'CHANGED')) return;
  for (const option of action.options ?? NEXT[action.why].options ?? []) {
    if (option === 'refunds') {
      // A refund may have to wait until the swap is final, or until a payment is given up.
      assert.ok(
        action.why === 'DEPOSIT_UNCLEAR' || hasRefundable(plan),
        `refunds beside ${action.why} (${planStatus(plan)}: ${action.detail}) can be had`,
      );
      continue;
    }
    const decisions = COMMANDS[option](plan).map((command) => decide(plan, command, plan.updatedAtMs));
    const isTaken = decisions.some((each) =>
      each.ok ? each.outcome === 'CHANGED' : each.refusal.reason === 'TOO_SOON',
    );
    const told = () =>
      decisions.map((each) => (each.ok ? each.outcome : JSON.stringify(each.refusal))).join('\n');
    assert.ok(
      isTaken,
      `${option} beside ${action.why} (${planStatus(plan)}: ${action.detail}) can be had\n${isTaken ? '' : told()}`,
    );
  }
}
