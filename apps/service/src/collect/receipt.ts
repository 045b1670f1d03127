import { defined } from '@fairway/plan';
import { LIMITS } from '@fairway/wire';
import { eip55 } from '../text/eip55.ts';
import { plainLine } from '../text/plainLine.ts';
import type { CollectParts } from './collectParts.ts';
import { factsFor, type FoundLink, type Page } from './linkFacts.ts';
import { keepPage } from './pageState.ts';
import { gonePage, receiptPage } from './pages/index.ts';
import { shownAmount } from './shownMoney.ts';

/** The receipt page of a used link. It shows the link's own submission; later submissions belong to other links. */
export function receipt(parts: CollectParts, link: FoundLink): Page {
  const { step, version, plan, facts, chainName, payoutToken, token } = link;
  const round = step.link?.version === version ? step : step.rounds.find((each) => each.version === version);
  const { destination: shown, submittedAtMs, delivery } = round ?? {};
  const pageState = keepPage(parts, 'open', new URLSearchParams({ token }));
  if (shown === undefined || shown.type === 'email' || submittedAtMs === undefined) {
    const { catalogue, organisation } = facts;
    const html = gonePage({ catalogue, kind: 'EXPIRED', organisationName: organisation.name, pageState });
    return { status: 410, html };
  }
  const { status = 'PENDING', occurredAtMs, paidAmount, providerReference } = delivery ?? {};
  const { expiresAt: _expiresAt, ...rest } = factsFor(link, shown.type);
  const paid = paidAmount && shownAmount(plan, payoutToken, paidAmount, facts.catalogue.language, shown.type);
  return {
    status: 200,
    html: receiptPage({
      ...rest,
      pageState,
      destination: shown.type === 'wallet' ? { ...shown, address: eip55(shown.address) } : shown,
      chainName,
      submittedAt: new Date(submittedAtMs),
      delivery: {
        status,
        ...defined({ occurredAt: occurredAtMs === undefined ? undefined : new Date(occurredAtMs) }),
        ...defined({ paidAmountText: paid && `${paid.number} ${paid.unit}` }),
        ...(providerReference === undefined
          ? {}
          : { reference: plainLine(providerReference, LIMITS.providerReferenceLength) }),
      },
    }),
  };
}
