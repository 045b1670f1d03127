import { hasNoMoreCodes, livePage } from './codeStep.ts';
import type { CollectParts } from './parts.ts';
import {
  type EndedLink,
  type FormHandler,
  lookUp,
  type Page,
  spentPage,
  unavailablePage,
  type Visit,
} from './linkFacts.ts';
import { receipt } from './receipt.ts';

/**
 * POST /collect/ask: notes on the plan that the recipient of a link that has ended, or that has no more codes, asks for another.
 * It mails nobody: the integrator decides. A recipient who asks again within a day gets the same answer, and nothing
 * is noted.
 */
export const askForLink: FormHandler = async (parts, visit) => {
  const found = await lookUp(parts, visit);
  switch (found.outcome) {
    case 'USED':
      return receipt(parts, found.link);
    case 'GONE':
      return found.ended === undefined ? found.page : asked(parts, visit, found.ended);
    case 'LIVE':
      return (await hasNoMoreCodes(parts, found.link))
        ? asked(parts, visit, found.link)
        : livePage(parts, found.link);
  }
};

async function asked(
  parts: CollectParts,
  visit: Visit,
  { scope, plan, step, version }: EndedLink,
): Promise<Page> {
  const command = { type: 'LINK_REQUESTED', stepId: step.stepId, version } as const;
  const context = { actor: 'recipient', atMs: parts.nowMs() };
  const noted = await parts.store.payments.changePlan(scope, plan.planId, command, context);
  if (!noted.ok && noted.reason !== 'REFUSED') return unavailablePage(visit.catalogue, visit.retryState());
  // The page says that another was asked for, and since when.
  const now = await lookUp(parts, visit);
  if (now.outcome === 'GONE') return now.page;
  return now.outcome === 'USED' ? receipt(parts, now.link) : spentPage(parts, now.link);
}
