import { checksumAddress } from 'viem';
import { type Html, html } from '@fairway/api';

/** A row of a definition list: a term and its description. */
export function definition(term: string, description: Html): Html {
  return html`<div><dt>${term}</dt><dd>${description}</dd></div>`;
}

/** A text in groups of four characters. The gaps are style alone: a copied text has none. */
export function groupedText(text: string): Html {
  const groups = text.replaceAll(/[ -]/g, '').match(/^0x|.{1,4}/g) ?? [];
  return html`<span class="exact grouped">${groups.map((group) => html`<span>${group}</span>`)}</span>`;
}

/** A valid address with its EIP-55 checksum. */
export function writtenAddress(address: string): string {
  return checksumAddress(address as `0x${string}`);
}

/** A valid address with its EIP-55 checksum, in groups. */
export function groupedAddress(address: string): Html {
  return groupedText(writtenAddress(address));
}
