import fc from 'fast-check';
import type { PlanCommand } from '../src/index.ts';
import type { Happening } from './endHappenings.ts';
import { derived, evidence, payoutSent, sent, sentInVain } from './planCommands.ts';

/** A transaction that replaces others, and that a reorganisation can take back. */
const { chainId, txHash, blockNumber, blockHash } = evidence('b', 'FINAL');
const shownBy = { chainId, txHash, blockNumber, blockHash };

/** Transactions that are sent to swap or to pay, end in vain, or are given up by force. */
export const pendingTransactions: fc.Arbitrary<Happening> = fc
  .tuple(
    fc.constantFrom('a', 'b', 'p'),
    fc.nat(2),
    fc.constantFrom('SENT', 'SENT', 'SENT', 'ENDED', 'FORCED', 'PAYING'),
    fc.boolean(),
  )
  .map(
    ([name, position, what, isSigned]): Happening =>
      () => {
        if (what === 'ENDED' && isSigned)
          return { ...sentInVain(name, position, 'REPLACED'), shownBy } as PlanCommand;
        if (what === 'ENDED') return sentInVain(name, position);
        if (what === 'FORCED') return { ...derived('dd'), force: true } as PlanCommand;
        if (what === 'PAYING') return payoutSent(name, isSigned ? undefined : {});
        return sent(name, position, isSigned ? undefined : {});
      },
  );
