import type { KeptRecipient } from '@fairway/store';
import { type ErasureKeeper, ErasureNotKeptError } from '../../platform/erasures/erasureKeeper.ts';
import type { PaymentParts } from '../payments/index.ts';
import { type Acting, done, type Outcome, type ProblemFacts, refuse, tryLater } from '@fairway/api';
import { RECIPIENT_ID } from './findRegistered.ts';
import { NO_SUCH_RECIPIENT, registeredRefused } from './registeredProblems.ts';

const NO_FILE: ProblemFacts = {
  code: 'recipient-not-erasable',
  detail:
    'This deployment keeps no file of erasures, without which a backup would bring the details back; tell the operator, who sets FAIRWAY_ERASURE_LOG.',
};
const FILE_AWAY: ProblemFacts = tryLater(
  'upstream-unavailable',
  'The file of erasures cannot be written at the moment; the request was not carried out. Send it again in 60 s, or tell the operator.',
  60,
);

/**
 * Destroys the full details of a recipient and of its plans. A line outside the database says so before the erasure
 * is committed.
 */
export async function eraseRecipient(
  parts: PaymentParts,
  keeper: ErasureKeeper,
  acting: Acting,
  recipientId: string,
): Promise<Outcome<KeptRecipient>> {
  if (!RECIPIENT_ID.test(recipientId)) return refuse(NO_SUCH_RECIPIENT);
  if (keeper.place === 'MISSING') return refuse(NO_FILE);
  const keepOutside = keeper.place === 'FILE' ? keeper.keep : async () => undefined;
  const { recipients } = parts.store;
  const order = { cause: 'REQUESTED', keepOutside } as const;
  try {
    const erased = await recipients.eraseRecipient(acting.scope, recipientId, order, parts.nowMs());
    return erased.ok ? done(erased.kept) : refuse(registeredRefused(erased));
  } catch (error) {
    if (error instanceof ErasureNotKeptError) return refuse(FILE_AWAY);
    throw error;
  }
}
