import { type Html, html } from '@fairway/api';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import { filled } from '../../../words/locales/filled.ts';
import { definition } from './definitions.ts';
import type { DestinationChoice, ShownToken } from './views.ts';

/** The name of a type of destination. A wallet's says what arrives there. */
export function typeName(
  { pages }: Catalogue,
  type: DestinationChoice['type'],
  { symbol, chainName }: ShownToken,
): string {
  return filled(pages.types[type], { token: symbol, chain: chainName });
}

/** Which token a wallet is paid, and on which network, as rows of a list. */
export function tokenRows(
  { pages }: Catalogue,
  { symbol, contract, chainName }: ShownToken,
): readonly Html[] {
  const { review } = pages;
  return [
    definition(review.contract, html`<bdi>${symbol}</bdi> <bdi class="exact">${contract}</bdi>`),
    definition(review.chain, html`<bdi>${chainName}</bdi>`),
  ];
}
