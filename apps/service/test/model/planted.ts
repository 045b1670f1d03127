import { type RecordedTransfer, standingMovements } from '@fairway/plan';
import { STRANGER } from './modelPlans.ts';
import { SOUND } from './world.ts';
import type { Faults, Shown } from './worldTypes.ts';

/** A fault that is planted into the service of the model, a seed that finds it, and how the model words what it finds. */
type Planted = { readonly seed: number; plant(): Faults; readonly finding: RegExp };

/** Faults by name. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  'a transfer is claimed by no plan alone': {
    seed: 2,
    plant: () => showing(withoutClaims()),
    finding: /counts twice|funds of|attribution/,
  },
  'an empty answer is believed': {
    seed: 34,
    plant: () => ({ ...SOUND, isReadTwice: false }),
    finding: /funds of|attribution/,
  },
  'who sent a transfer is forgotten': {
    seed: 1,
    plant: () =>
      showing((view) => ({
        ...view,
        deposits: view.deposits.map((transfer) => ({ ...transfer, from: '0x' as const })),
      })),
    finding: /attribution|funds of the source token/,
  },
  'instructions are derived while the record catches up': {
    seed: 2,
    plant: () => ({ ...SOUND, isReadFirst: false }),
    finding: /derived beside an executed swap/,
  },
  'a transfer from an address to itself counts': {
    seed: 10,
    plant: () => showing((view) => ({ ...view, deposits: view.deposits.map(withOtherSender) })),
    finding: /funds of the source token|attribution/,
  },
  'an execution counts twice': {
    seed: 2,
    plant: () =>
      showing((view) => ({
        ...view,
        executions: view.executions.flatMap((execution) => {
          const { evidence } = execution;
          const txHash = `${evidence.txHash}ff` as const;
          const transfers = evidence.transfers.map((transfer) => ({ ...transfer, txHash }));
          return [execution, { ...execution, evidence: { ...evidence, txHash, transfers } }];
        }),
      })),
    finding: /funds of the (source|payout) token|counts twice/,
  },
  'a further call of a transaction is passed over': {
    seed: 1,
    plant: () =>
      showing((view) => ({
        ...view,
        executions: view.executions.map(({ others: _others, ...execution }) => execution),
      })),
    finding: /funds of the (source|payout) token/,
  },
  'a plan that changed waits for no block': {
    seed: 12,
    plant: () => ({ ...SOUND, isAwaiting: false }),
    finding: /funds of|attribution|nothing is new/,
  },
  'a lost block takes nothing back': {
    seed: 2,
    plant: () => showing((view) => ({ ...view, gone: [] })),
    finding: /funds of|attribution|counts twice|nothing is new/,
  },
  'what is not shown is taken back': {
    seed: 2,
    plant: () =>
      showing((view, plan, random) => {
        if (random.integer(0, 1) === 0) return view;
        const gone = standingMovements(plan).flatMap(({ kind, transfer }) =>
          kind !== 'DEPOSIT' || transfer?.logIndex === undefined
            ? []
            : [{ ...transfer, logIndex: transfer.logIndex }],
        );
        return { ...view, deposits: [], gone };
      }),
    finding: /funds of|attribution/,
  },
  'a storm of dust is left out altogether': {
    seed: 3,
    plant: () =>
      showing((view) => ({
        ...view,
        deposits: view.deposits.filter(({ amount }) => amount !== '1' && amount !== '999'),
      })),
    finding: /funds of|attribution/,
  },
};

function showing(show: Shown): Faults {
  return { ...SOUND, show };
}

/** Every plan of an address is shown all that ever came to it. */
function withoutClaims(): Shown {
  const seen = new Map<string, RecordedTransfer>();
  return (view, plan) => {
    for (const transfer of view.deposits) seen.set(`${transfer.txHash} ${transfer.blockHash}`, transfer);
    const { depositAddress } = plan.options;
    return { ...view, deposits: [...seen.values()].filter(({ to }) => to === depositAddress) };
  };
}

function withOtherSender(transfer: RecordedTransfer): RecordedTransfer {
  return transfer.from === transfer.to ? { ...transfer, from: STRANGER } : transfer;
}
