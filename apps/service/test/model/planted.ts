import { type RecordedTransfer, standingMovements } from '@fairway/plan';
import { STRANGER } from './modelPlans.ts';
import type { Plant } from './worldTypes.ts';

/** A fault that is planted into the service of the model, and how the model words what it finds. */
type Planted = { plant(): Plant; readonly finding: RegExp };

/** Faults by name. Each changes what plans are shown of the chain record. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  'a transfer from an address to itself counts': {
    plant: () => (view) => ({ ...view, deposits: view.deposits.map(withOtherSender) }),
    finding: /funds of the source token|attribution/,
  },
  'an execution counts twice': {
    plant: () => (view) => ({
      ...view,
      executions: view.executions.flatMap((execution) => {
        const { evidence } = execution;
        const txHash = `${evidence.txHash}ff` as const;
        const transfers = evidence.transfers.map((transfer) => ({ ...transfer, txHash }));
        return [execution, { ...execution, evidence: { ...evidence, txHash, transfers } }];
      }),
    }),
    finding: /funds of the (source|payout) token/,
  },
  'a lost block takes nothing back': {
    plant: () => (view) => ({ ...view, gone: [] }),
    finding: /funds of|attribution|counts twice/,
  },
  'an empty answer is believed': {
    plant: believingEmptyAnswers,
    finding: /funds of|attribution/,
  },
  'what is not shown is taken back': {
    plant: () => (view, plan, random) => {
      if (random.integer(0, 1) === 0) return view;
      const gone = standingMovements(plan).flatMap(({ kind, transfer }) =>
        kind !== 'DEPOSIT' || transfer?.logIndex === undefined
          ? []
          : [{ ...transfer, logIndex: transfer.logIndex }],
      );
      return { ...view, deposits: [], gone };
    },
    finding: /funds of|attribution/,
  },
  'a storm of dust is left out altogether': {
    plant: () => (view) => ({
      ...view,
      deposits: view.deposits.filter(({ amount }) => amount !== '1' && amount !== '999'),
    }),
    finding: /funds of|attribution/,
  },
  'a transfer is claimed by no plan alone': {
    plant() {
      const seen = new Map<string, RecordedTransfer>();
      return (view, plan) => {
        for (const transfer of view.deposits) seen.set(`${transfer.txHash} ${transfer.blockHash}`, transfer);
        const { depositAddress } = plan.options;
        return { ...view, deposits: [...seen.values()].filter(({ to }) => to === depositAddress) };
      };
    },
    finding: /counts twice|funds of|attribution/,
  },
};

/** Every third block is answered empty, now and whenever it is read again. */
function believingEmptyAnswers(): Plant {
  return (view) => ({
    ...view,
    deposits: view.deposits.filter(({ blockNumber }) => blockNumber % 3 !== 0),
  });
}

function withOtherSender(transfer: RecordedTransfer): RecordedTransfer {
  return transfer.from === transfer.to ? { ...transfer, from: STRANGER } : transfer;
}
