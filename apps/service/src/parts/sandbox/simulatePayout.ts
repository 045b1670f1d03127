import {
  type Address,
  type Amount,
  amountOf,
  assetsOf,
  collectStep,
  fundsOf,
  isSameAsset,
  type Plan,
  type PlanCommand,
  payoutOf,
  unitsOf,
} from '@fairway/plan';
import type { SimulatedEvent } from '@fairway/wire';
import { encodeFunctionData, erc20Abi } from 'viem';
import { CHAIN_AWAY, refusalOf, reportDelivery } from '../payments/index.ts';
import { done, invalidFields, type Outcome, refuse } from '@fairway/api';
import { reference, report, type Scene, type Stage } from './stage.ts';

/** An event of the custodian who pays. */
export type PayoutEvent = Extract<SimulatedEvent, `payout.${string}`>;

const SIMULATED = 'Simulated by the sandbox.';

const HOLD = { reason: 'COMPLIANCE_REVIEW', needs: ['the invoice of the payment'] } as const;

/** Simulates the custodian's payment to the plan's recipient. */
export function playPayout(event: PayoutEvent, stage: Stage): Promise<Outcome<Plan>> {
  switch (event) {
    case 'payout.done':
      return playWholePayout(stage);
    case 'payout.deducted':
    case 'payout.short': {
      const { plan, step } = stage;
      const { recipient } = plan;
      if (step.type !== 'CUSTODIAN_PAYOUT' || recipient.type === 'wallet') return onlyToAccounts(event);
      return report(stage, { outcome: 'DONE', ...smallerPayment(event, plan) });
    }
    case 'payout.failed': {
      const failure = { code: 'ACCOUNT_NOT_FOUND', detail: SIMULATED } as const;
      return report(stage, { outcome: 'FAILED', failure });
    }
    case 'payout.returned':
      return playReturn(stage);
    case 'payout.held':
      return report(stage, { outcome: 'HELD', hold: HOLD });
  }
}

async function playWholePayout(stage: Stage): Promise<Outcome<Plan>> {
  const { parts, plan, step } = stage;
  const { recipient } = plan;
  const providerReference = reference();
  const { stepId } = step;
  const problem = refusalOf(parts, plan, {
    type: 'PAYOUT_DONE',
    stepId,
    verification: 'REPORTED',
    providerReference,
  });
  if (problem !== undefined) return refuse(problem);
  if (recipient.type !== 'wallet' || step.type !== 'CUSTODIAN_PAYOUT')
    return report(stage, { outcome: 'DONE', providerReference });
  const sent = await payFromCustodian(stage, recipient.address, payoutOf(plan).left);
  if (!sent.ok) return refuse(CHAIN_AWAY);
  return report(stage, { outcome: 'DONE', txHash: sent.txHash });
}

/**
 * The report of a custodian that keeps a hundredth of what is left to pay, at least one unit. `payout.short` does not
 * mention it.
 */
function smallerPayment(event: 'payout.deducted' | 'payout.short', plan: Plan) {
  const leftUnits = unitsOf(payoutOf(plan).left);
  const keptUnits = (leftUnits + 99n) / 100n;
  const deduction = { amount: amountOf(keptUnits), asset: assetsOf(plan).target, reason: SIMULATED };
  return {
    providerReference: reference(),
    amount: amountOf(leftUnits - keptUnits),
    ...(event === 'payout.deducted' ? { deductions: [deduction] } : {}),
  };
}

async function onlyToAccounts(event: PayoutEvent): Promise<Outcome<Plan>> {
  const detail = `event ${event} is for a payment to an account: wallets are paid all that is due.`;
  return refuse(invalidFields([{ pointer: '/event', detail }]));
}

async function playReturn(stage: Stage): Promise<Outcome<Plan>> {
  const { stepId } = stage.step;
  const providerReference = reference();
  const back = await givenBack(stage, { type: 'PAYOUT_RETURNED', stepId, providerReference });
  if (!back.ok) return back;
  const failure = { code: 'ACCOUNT_CLOSED', detail: SIMULATED } as const;
  return report(stage, { outcome: 'RETURNED', providerReference, failure });
}

/** Simulates the custodian's payment to the destination that the recipient chose. */
export async function playDelivery(event: PayoutEvent, scene: Scene): Promise<Outcome<Plan>> {
  const { plan, parts, acting } = scene;
  const step = collectStep(plan);
  if (step === undefined) throw new Error('The plan has no SEND_DIGITAL_COLLECT step.');
  if (event === 'payout.deducted' || event === 'payout.short') {
    if (step.destination?.type === 'wallet') return onlyToAccounts(event);
    const told = { outcome: 'DONE', ...smallerPayment(event, plan) } as const;
    return reportDelivery(parts, acting, { plan, step }, told);
  }
  const failure = { code: 'ACCOUNT_NOT_FOUND', detail: SIMULATED } as const;
  const providerReference = reference();
  if (event === 'payout.failed')
    return reportDelivery(parts, acting, { plan, step }, { outcome: 'FAILED', failure });
  if (event === 'payout.held')
    return reportDelivery(parts, acting, { plan, step }, { outcome: 'HELD', hold: HOLD });
  if (event === 'payout.returned') {
    const told = { providerReference, failure } as const;
    const { stepId } = step;
    const kind = { type: 'DELIVERY_REPORTED', status: 'RETURNED', verification: 'REPORTED' } as const;
    const returned = { ...kind, stepId, ...told };
    const back = await givenBack(scene, returned);
    return back.ok ? reportDelivery(parts, acting, { plan, step }, { outcome: 'RETURNED', ...told }) : back;
  }
  const isDue = step.delivery?.status === 'PENDING' || step.delivery?.status === 'SENT';
  if (step.destination?.type !== 'wallet' || !isDue)
    return reportDelivery(parts, acting, { plan, step }, { outcome: 'DONE', providerReference });
  const sent = await payFromCustodian(scene, step.destination.address, payoutOf(plan).left);
  if (!sent.ok) return refuse(CHAIN_AWAY);
  return reportDelivery(parts, acting, { plan, step }, { outcome: 'DONE', txHash: sent.txHash });
}

function payFromCustodian({ sandbox, plan }: Scene, to: Address, amount: Amount) {
  const { settlementAddress, token } = plan.corridor.target;
  return sandbox.send({ from: settlementAddress, to: token, data: transferData(to, amount), value: 0n });
}

/**
 * Has a wallet that was paid send the money back to the custodian, who could not pay it again otherwise. Money that was
 * paid to an account comes back without a transaction.
 */
async function givenBack(scene: Scene, returned: PlanCommand): Promise<Outcome<undefined>> {
  const { parts, plan, sandbox } = scene;
  const problem = refusalOf(parts, plan, returned);
  if (problem !== undefined) return refuse(problem);
  const wallet = collectStep(plan)?.destination ?? plan.recipient;
  if (wallet.type !== 'wallet') return done(undefined);
  const { settlementAddress, token } = plan.corridor.target;
  const { target } = assetsOf(plan);
  const funds = fundsOf(plan).find(({ asset }) => isSameAsset(asset, target));
  if (funds === undefined) throw new Error('A plan must have funds of its payout token.');
  const amount = amountOf(unitsOf(funds.paidOut) - unitsOf(funds.returned));
  const data = transferData(settlementAddress, amount);
  const sent = await sandbox.send({ from: wallet.address, to: token, data, value: 0n });
  if (!sent.ok) return refuse(CHAIN_AWAY);
  if (sent.outcome === 'SUCCEEDED') return done(undefined);
  const detail = `event payout.returned has the wallet ${wallet.address} send back ${amount}, which it does not hold any more.`;
  return refuse({ code: 'step-not-ready', detail });
}

function transferData(to: Address, amount: Amount) {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, unitsOf(amount)] });
}
