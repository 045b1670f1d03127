import { defined } from '@fairway/values';
import type { ExecutionReading } from '@fairway/wire';
import type { KeptPayment } from '../../platform/database/payments.ts';
import { readExecution, type Relayers } from './chainFacts.ts';

/** How a payment is, and the receipts of all that was executed for it, the oldest first. */
export async function readPayment(relayers: Relayers, kept: KeptPayment): Promise<ExecutionReading> {
  const readings = await Promise.all(kept.executions.map((each) => readExecution(relayers, each)));
  const why = readings.find((each) => each.execution.why !== undefined)?.execution.why;
  const execution = { executionId: kept.paymentId, status: statusOf(kept), failure: kept.refusal, why };
  return { execution: defined(execution), receipts: readings.flatMap(({ receipts }) => receipts) };
}

function statusOf({ ended, executions }: KeptPayment): ExecutionReading['execution']['status'] {
  if (ended !== undefined) return ended === 'PAID' ? 'SUCCEEDED' : 'FAILED';
  const isBound = executions.some(({ transactions }) =>
    transactions.some(({ nonce }) => nonce !== undefined),
  );
  return isBound ? 'RUNNING' : 'ACCEPTED';
}
