import { done, invalidFields, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import { catalogueOf } from '../../words/locales/index.ts';
import { type GivenRecipient, offeredTypes, refuseDepositAddress } from '../payments/index.ts';
import { submitAndConfirm } from './codeStep.ts';
import { type FoundLink, lookUp } from './linkFacts.ts';
import { keepPage } from './pageState.ts';
import type { CollectParts } from './parts.ts';

/** The link of a plan that a recipient can use, among the tokens that were mailed. */
async function usableLink(
  parts: CollectParts,
  planId: string,
  tokens: readonly string[],
): Promise<FoundLink | undefined> {
  for (const token of tokens) {
    const form = new URLSearchParams({ token });
    const retryState = () => keepPage(parts, 'open', form);
    const found = await lookUp(parts, { form, catalogue: catalogueOf('en'), retryState });
    if (found.outcome === 'LIVE' && found.link.plan.planId === planId) return found.link;
  }
  return undefined;
}

/**
 * Plays a recipient who submits a destination and enters the code. `tokens`: those of links that were mailed. The same
 * checks refuse the destination as on the page.
 */
export async function playSubmission(
  parts: CollectParts,
  planId: string,
  tokens: readonly string[],
  given: GivenRecipient,
): Promise<Outcome<undefined>> {
  const link = await usableLink(parts, planId, tokens);
  if (link === undefined) return notReady('needs a link that was e-mailed and can still be used');
  const { corridor, options } = link.plan;
  const types = offeredTypes(link.plan);
  const type = types.find((offered) => offered === given.type);
  if (type === undefined) {
    const detail = `destination.type must be ${types.join(' or ')}: the corridor offers nothing else.`;
    return refuse(invalidFields([{ pointer: '/destination/type', detail }]));
  }
  const read = refuseDepositAddress(
    parts.corridors.readDestination(corridor, type, countryOf(given), given.plain),
    options.depositAddress,
  );
  if (!read.ok)
    return refuse(
      invalidFields(
        read.errors.map((error) => ({
          ...error,
          pointer: error.pointer.replace(/^\/recipient/, '/destination'),
        })),
      ),
    );
  switch (await submitAndConfirm(parts, link, read.recipient)) {
    case 'SUBMITTED':
      return done(undefined);
    case 'TOO_SOON':
      return notReady('comes too soon after another code of this link: move the clock on by a minute');
    case 'TOO_MANY':
      return notReady('needs another link: this one has no more codes');
    case 'NOT_USABLE':
      return notReady('needs a link that can still be used');
  }
}

function countryOf({ plain }: GivenRecipient): string | undefined {
  const { country } = (plain ?? {}) as { readonly country?: unknown };
  return typeof country === 'string' ? country : undefined;
}

function notReady(what: string): { readonly ok: false; readonly problem: ProblemFacts } {
  return refuse({ code: 'step-not-ready', detail: `event collect.submitted ${what}.` });
}
