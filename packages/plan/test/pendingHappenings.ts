import fc from 'fast-check';
import type { PlanEvent } from '../src/index.ts';
import type { Happening } from './endHappenings.ts';
import { derived, payoutSent, sent, sentInVain } from './planEvents.ts';

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
        if (what === 'ENDED') return sentInVain(name, position);
        if (what === 'FORCED') return { ...derived('dd'), force: true } as PlanEvent;
        if (what === 'PAYING') return payoutSent(name, isSigned ? undefined : {});
        return sent(name, position, isSigned ? undefined : {});
      },
  );
