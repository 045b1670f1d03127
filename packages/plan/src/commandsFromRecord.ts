import { isLess, unitsOf } from './terms/amount.ts';
import { decide } from './decide.ts';
import { dustBelow } from './terms/corridor.ts';
import type { CommandOf, PlanCommand } from './plan/commands.ts';
import { isRefundOf, placesOf, standingMovements, transfersOf } from './book/ledger.ts';
import type { FoundRefund } from './evidence/refundJudgement.ts';
import { fateProofs } from './swap/pendingTransactions.ts';
import { payoutOf } from './book/payout.ts';
import { depositStep, evidenceOf, lastStep, swapStep } from './plan/steps.ts';
import type { Hash, TimeMs, Verification } from './terms/scalars.ts';
import { isSameLog, isSamePlace } from './plan/transferPlaces.ts';
import type { Evidence, Plan, RecordedTransfer, TransferPlace } from './plan/types.ts';

/** A transaction that executed the attempt of a plan at this position. */
export type FoundExecution = Omit<CommandOf<'EXECUTION_FOUND'>, 'type' | 'stepId'>;

/** A transaction that paid the wallet of a plan, and how far that is verified. */
export type FoundPayout = { readonly verification: Verification; readonly evidence: Evidence };

/**
 * What the chain record shows of one plan. `gone`: transfers that the plan's ledger has and that are no longer on the
 * chain. A transfer that the record merely does not show is not taken back.
 */
export type RecordView = {
  /** The last block that was read. */
  readonly readNumber: number;
  /** Transfers to the plan's deposit address that belong to this plan, in the chain's order. */
  readonly deposits: readonly RecordedTransfer[];
  readonly executions: readonly FoundExecution[];
  /** Transactions of the swap that were taken back, and that were mined again, reverted and confirmed. */
  readonly reverted?: readonly Hash[];
  /** Refunds that were taken back and are on the chain again. */
  readonly refunds?: readonly FoundRefund[];
  /** The transaction that paid out, where one alone can be it. */
  readonly payout?: FoundPayout | undefined;
  /** Those of `fateProofs` are among them, with any log. */
  readonly gone: readonly TransferPlace[];
};

/**
 * The commands that bring a plan up to date with the chain record, in the order in which they have to happen. The list
 * is empty when the plan is up to date. Transfers that are gone come first, so that nothing counts twice.
 *
 * @example
 * ```ts
 * import { type Plan, commandsFromRecord, type RecordView } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const view: RecordView;
 * for (const { type } of commandsFromRecord(plan, view, 1_700_000_000_000)) console.log(type);
 * ```
 */
export function commandsFromRecord(plan: Plan, view: RecordView, atMs: TimeMs): readonly PlanCommand[] {
  let now = plan;
  return [...lostCommands(plan, view), ...foundCommands(plan, view)].filter((command) => {
    const decision = decide(now, command, atMs);
    if (!decision.ok || decision.outcome === 'UNCHANGED') return false;
    now = decision.plan;
    return true;
  });
}

/**
 * One command for each transaction of a step that is no longer on the chain. A swap or a payout that is now in another
 * block was only moved, so there is no such command for it. The command for the new block replaces what was recorded. But
 * of two executions the first on the chain is the swap, also when a reorganisation changed their order. And a payout
 * moves alone: where its transaction had paid other parts, all of them are found again one after the other.
 */
function lostCommands(plan: Plan, { gone, executions, payout }: RecordView): PlanCommand[] {
  const [first] = inOrder(executions);
  const moved = new Set(
    [first, isWhole(plan, payout) ? payout : undefined].map((each) => each?.evidence.txHash),
  );
  const groups = new Map<string, CommandOf<'EVIDENCE_LOST'>>();
  for (const { stepId, transfer, reason } of standingMovements(plan)) {
    if (stepId === undefined || transfer?.logIndex === undefined) continue;
    const { chainId, txHash, blockHash, logIndex } = transfer;
    const isGone = gone.some((place) => isSamePlace(place, transfer));
    // A repeated payment of a wallet is told again by a report, also where its transaction was only moved.
    const isMoved = stepId !== depositStep(plan).stepId && reason !== 'PAID_ABOVE_DUE' && moved.has(txHash);
    if (!isGone || isMoved) continue;
    const name = `${stepId} ${txHash}`;
    const places = [...(groups.get(name)?.gone ?? []), { chainId, txHash, blockHash, logIndex }];
    groups.set(name, { type: 'EVIDENCE_LOST', stepId, txHash, cause: 'REORGANISED', gone: places });
  }
  const proofs = fateProofs(plan).filter((proof) =>
    gone.some(({ txHash, blockHash }) => txHash === proof.txHash && blockHash === proof.blockHash),
  );
  const undone = proofs
    .filter(({ stepId, txHash }) => !groups.has(`${stepId} ${txHash}`))
    .map(({ stepId, txHash }) => ({ type: 'EVIDENCE_LOST', stepId, txHash, cause: 'REORGANISED' }) as const);
  return [...groups.values(), ...undone];
}

/** Whether the last step rests on all that the ledger has of the transaction that paid out. */
function isWhole(plan: Plan, payout: FoundPayout | undefined): boolean {
  const rests = placesOf(evidenceOf(lastStep(plan)));
  return standingMovements(plan, 'PAYOUT').every(
    ({ reason, transfer }) =>
      reason === 'PAID_ABOVE_DUE' ||
      transfer?.txHash !== payout?.evidence.txHash ||
      rests.some((each) => isSamePlace(each, transfer)),
  );
}

/**
 * What a transfer is to a plan depends on whether its swap was executed when it came, so new ones come before executions.
 * Confirmations of those that are known come after: a deposit that has them owes instructions until it was swapped.
 */
function foundCommands(plan: Plan, view: RecordView): PlanCommand[] {
  const { readNumber, deposits, executions, reverted = [], refunds = [], payout } = view;
  const { stepId } = depositStep(plan);
  const isRefund = (moved: RecordedTransfer) => refunds.some(({ transfer }) => isSameLog(transfer, moved));
  const added = attributed(plan, deposits).filter((moved) => !isRefund(moved));
  const found = inOrder(executions);
  const read = { type: 'RECORD_READ', stepId, readNumber, added: [] } as const;
  const known = transfersOf(plan, 'DEPOSIT');
  const isNew = added.some((transfer) => !known.some((each) => isSamePlace(each, transfer)));
  return [
    ...refunds.map(
      ({ amount, asset, ...found }): PlanCommand => ({
        ...({ type: 'REFUND_RECORDED', money: { amount, asset }, force: true } as const),
        ...found,
      }),
    ),
    ...(isNew ? [{ ...read, added }] : []),
    ...found.map(
      (execution): PlanCommand => ({ type: 'EXECUTION_FOUND', stepId: swapStep(plan).stepId, ...execution }),
    ),
    ...reverted.map((txHash): PlanCommand => {
      const failure = { code: 'REVERTED' };
      const { stepId: swapId } = swapStep(plan);
      return { type: 'SWAP_FAILED', stepId: swapId, failure, verification: 'VERIFIED', txHash };
    }),
    read,
    ...payoutCommands(plan, payout),
  ];
}

function inOrder(executions: readonly FoundExecution[]): readonly FoundExecution[] {
  return executions.toSorted((a, b) => a.evidence.blockNumber - b.evidence.blockNumber);
}

function payoutCommands(plan: Plan, payout: FoundPayout | undefined): PlanCommand[] {
  const last = lastStep(plan);
  if (payout === undefined) return [];
  const { stepId } = last;
  const { evidence } = payout;
  const rests = evidenceOf(last);
  const isKnown = rests?.txHash === evidence.txHash && rests.status !== 'LOST';
  const isPart = !isKnown && isLess(evidence.amount, payoutOf(plan).left);
  const told = { stepId, ...payout, ...(isPart ? ({ part: true } as const) : {}) } as const;
  if (last.type === 'CUSTODIAN_PAYOUT') return [{ type: 'PAYOUT_DONE', ...told }];
  return [{ type: 'DELIVERY_REPORTED', status: 'DELIVERED', ...told }];
}

/**
 * How many transfers of dust and of other tokens are a plan's: anybody can send them, and every movement is kept with the
 * plan.
 */
const MOST_DUST = 100;

/**
 * The transfers that become movements of the plan, of all to its deposit address in the chain's order. Dust and other
 * tokens become movements only for the first transfers. Two kinds always do: the one that completes the deposit, and one
 * that is more than all of another token before it. So dust hides no money, and each of the latter doubles what came.
 * Later blocks change nothing about them.
 */
function attributed(plan: Plan, deposits: readonly RecordedTransfer[]): readonly RecordedTransfer[] {
  const limit = dustBelow(plan);
  const due = unitsOf(plan.amountIn);
  let received = 0n;
  let dust = 0;
  const others = new Map<string, bigint>();
  return deposits.filter((transfer) => {
    const { from, to, token, amount } = transfer;
    if (from === to || isRefundOf(plan, transfer)) return false;
    const isOwn = token === plan.corridor.source.token;
    const units = isOwn ? unitsOf(amount) : 0n;
    const before = others.get(token) ?? 0n;
    if (!isOwn) others.set(token, before + unitsOf(amount));
    const completes = received < due && received + units >= due;
    const isSmall = isOwn ? isLess(amount, limit) && !completes : unitsOf(amount) <= before;
    if (isSmall) dust += 1;
    if (isSmall && dust > MOST_DUST) return false;
    received += units;
    return true;
  });
}
