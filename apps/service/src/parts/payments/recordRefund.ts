import {
  isNative,
  judgeRefund,
  type Money,
  type MovementTransfer,
  type Plan,
  type PlanCommand,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import { type Acting, done, type Outcome, refuse } from '@fairway/api';
import { transferName } from './chainFacts.ts';
import { minedFacts } from './claims/minedFacts.ts';
import { recordReport } from './recordReport.ts';
import type { RefundReport } from './planRequests.ts';
import { currentPlan } from './findPlan.ts';
import type { PaymentParts } from './paymentParts.ts';
import { payoutAddressesOf } from './corridors/payoutAddresses.ts';
import { mismatch } from './planProblems.ts';

/** Records money that went back to the payer. Claims about a transaction are checked on the chain. */
export async function recordRefund(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
  report: RefundReport,
): Promise<Outcome<Plan>> {
  const found = await currentPlan(parts, acting.scope, planId);
  if (!found.ok) return found;
  const plan = found.value;
  return recordReport(parts, acting, plan, (ignored) =>
    refundCommand(parts, acting.scope, plan, report, ignored),
  );
}

async function refundCommand(
  parts: PaymentParts,
  scope: Acting['scope'],
  plan: Plan,
  { amount, asset, txHash, logIndex, providerReference, occurredAtMs, force }: RefundReport,
  ignored: ReadonlySet<string>,
): Promise<Outcome<PlanCommand>> {
  const money = { amount, asset };
  const told = {
    ...({ type: 'REFUND_RECORDED', money, ...defined({ providerReference, occurredAtMs }) } as const),
    ...(force ? ({ force } as const) : {}),
  };
  if (txHash === undefined) return done({ ...told, verification: 'REPORTED' });
  // A transfer of native currency leaves no log that could be checked.
  if (isNative(asset)) return done({ ...told, providerReference: txHash, verification: 'REPORTED' });
  const { chainId } = plan.corridor.source;
  if (asset.chainId !== chainId)
    return refuse(
      mismatch(
        `The asset is on the chain ${asset.chainId}, and the plan's money on ${chainId}: name an asset there.`,
      ),
    );
  const mined = await minedFacts(parts, plan, txHash);
  if (!mined.ok) return mined;
  const isFree = (place: number) => !ignored.has(transferName({ txHash, logIndex: place }));
  const payoutAddresses = payoutAddressesOf(parts.corridors, plan);
  const judged = judgeRefund(plan, mined.value, money, { payoutAddresses, logIndex, isFree });
  if (!judged.ok) return refuse(mismatch(judged.detail));
  const { transfer } = judged;
  if (judged.verification === 'REPORTED') return done({ ...told, verification: 'REPORTED', transfer });
  const others = await isMaybeOfOthers(parts, scope, plan, money, transfer);

  // The account that a deposit came from may be the wallet of another organisation's recipient.
  return done({ ...told, verification: others.isMaybe ? 'REPORTED' : 'VERIFIED', transfer });
}

/** Whether a transfer may be a payout or a refund that another organisation's plan owes to the same account. */
function isMaybeOfOthers(
  { store }: PaymentParts,
  scope: Acting['scope'],
  { planId }: Plan,
  { amount, asset }: Money,
  { chainId, to, blockNumber }: MovementTransfer,
) {
  const token = 'address' in asset ? asset.address : undefined;
  if (to === undefined || token === undefined) return { ok: true, isMaybe: false } as const;
  const sent = { chainId, wallet: to, token, amount, blockNumber };
  return store.payments.isMaybeOfOthers(scope, planId, sent, 'OTHER');
}
