import { paidAmountOf, payoutDeadlineMs } from '@fairway/plan';
import { defined } from '@fairway/values';
import { LIMITS } from '@fairway/wire';
import { deliveryTime } from '../payments/index.ts';
import { eip55, plainLine } from '@fairway/api';
import type { CollectParts } from './parts.ts';
import { factsFor, type FoundLink, type Page } from './linkFacts.ts';
import { keepPage } from './pageState.ts';
import { gonePage, receiptPage } from './pages/index.ts';
import { shownAmount } from './shownMoney.ts';

/** The receipt page of a used link. It shows the link's own submission; later submissions belong to other links. */
export async function receipt(parts: CollectParts, link: FoundLink): Promise<Page> {
  const { step, version, plan, facts, payoutToken, token, scope } = link;
  const round = step.link?.version === version ? step : step.rounds.find((each) => each.version === version);
  const { destination: shown, submittedAtMs, delivery } = round ?? {};
  const pageState = keepPage(parts, 'open', new URLSearchParams({ token }));
  if (shown === undefined || shown.type === 'email' || submittedAtMs === undefined) {
    const { catalogue, organisation } = facts;
    const html = gonePage({ catalogue, kind: 'EXPIRED', organisation, pageState });
    return { status: 410, html };
  }
  const { status = 'PENDING', evidence, providerReference } = delivery ?? {};
  const paidAmount = delivery && paidAmountOf(plan, delivery);
  const occurredAtMs = await deliveryTime(parts, scope, plan, { version, ...defined({ delivery }) });
  const expectedByMs = payoutDeadlineMs(plan, submittedAtMs);
  // What is held has no day any more. Why it is held is not for the recipient.
  const isHeld = step.hold !== undefined && step.link?.version === version;
  const { expiresAt: _expiresAt, ...rest } = factsFor(link, shown.type);
  const paid = paidAmount && shownAmount(plan, payoutToken, paidAmount, facts.catalogue.language, shown.type);
  return {
    status: 200,
    html: receiptPage({
      ...rest,
      pageState,
      destination: shown.type === 'wallet' ? { ...shown, address: eip55(shown.address) } : shown,
      submittedAt: new Date(submittedAtMs),
      delivery: {
        status,
        ...defined({
          occurredAt: occurredAtMs === undefined ? undefined : new Date(occurredAtMs),
          txHash: evidence?.status === 'LOST' ? undefined : evidence?.txHash,
          paidAmountText: paid && `${paid.number} ${paid.unit}`,
        }),
        ...defined({ expectedBy: isHeld ? undefined : new Date(expectedByMs) }),
        isLate: isHeld || parts.nowMs() > expectedByMs,
        ...(providerReference === undefined
          ? {}
          : { reference: plainLine(providerReference, LIMITS.providerReferenceLength) }),
      },
    }),
  };
}
