import { type Door, refuse, required, textField } from '@fairway/api';
import type { NodeOperationId } from '@fairway/wire';
import { executionIdOf } from '../../platform/database/executions.ts';
import { findPayment, paymentIdOf } from '../../platform/database/payments.ts';
import { findExecution } from '../../platform/database/transactions.ts';
import { readExecution } from './chainFacts.ts';
import type { ExecutionParts } from './executeSwap.ts';
import { readPayment } from './readPayment.ts';

/** Registers how executions are read. The mirror asks for new ones. */
export function registerExecutions({ registrar }: Door<NodeOperationId>, parts: ExecutionParts): void {
  const answer = async (executionId: string) => {
    const payment = await findPayment(parts.database, executionId);
    if (payment !== undefined) return { ok: true as const, body: await readPayment(parts.relayers, payment) };
    const kept = await findExecution(parts.database, executionId);
    if (kept === undefined) return refuse({ code: 'not-found', detail: 'There is no such execution.' });
    return { ok: true as const, body: await readExecution(parts.relayers, kept) };
  };
  registrar.find('getExecution', {
    answer: (_, { params: { executionId = '' } }) => answer(executionId),
  });
  registrar.find('findExecution', {
    input: (fields) => required(fields, 'key', textField(128)),
    async answer(key) {
      const payment = await findPayment(parts.database, paymentIdOf(key));
      return answer(payment?.paymentId ?? executionIdOf(key));
    },
  });
}
