import { standing } from './codeStep.ts';
import { type FormHandler, lookUp, unavailablePage } from './linkFacts.ts';
import { receipt } from './receipt.ts';

/**
 * POST /collect/ask: notes on the plan that the recipient of a link that has ended asks for another. It mails nobody:
 * the integrator decides. Whoever asks again within a day is told the same, and nothing is noted.
 */
export const askForLink: FormHandler = async (parts, visit) => {
  const found = await lookUp(parts, visit);
  if (found.outcome !== 'GONE')
    return found.outcome === 'USED' ? receipt(parts, found.link) : standing(parts, found.link);
  if (found.ended === undefined) return found.page;
  const { scope, plan, step, version } = found.ended;
  const event = { type: 'LINK_REQUESTED', stepId: step.stepId, version } as const;
  const deed = { actor: 'recipient', atMs: parts.nowMs() };
  const asked = await parts.store.payments.changePlan(scope, plan.planId, event, deed);
  if (!asked.ok && asked.reason !== 'REFUSED') return unavailablePage(visit.catalogue, visit.retryState);
  // The page of a link that has ended says that another was asked for, and since when.
  const now = await lookUp(parts, visit);
  return now.outcome === 'GONE' ? now.page : found.page;
};
