import { lostPartsOf } from '../payout/lostParts.ts';
import type { Next } from './codes.ts';
import { lastStep } from '../book/payoutTurn.ts';
import type { Plan } from '../plan/types.ts';

/** What has to happen while a part is lost; undefined when none is. */
export function lostPartAction(plan: Plan): Next | undefined {
  const [part] = lostPartsOf(plan);
  if (part === undefined) return undefined;
  const detail = `The transaction ${part.txHash}, which paid a part, is no longer on the chain. Mined again, it counts by itself, and so does one with its nonce that replaced it; report FAILED when neither can be mined: only then have the custodian pay anew.`;
  return { stepId: lastStep(plan).stepId, why: 'TRANSACTION_LOST', detail };
}
