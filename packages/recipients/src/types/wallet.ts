import { initials } from '../kinds/masking.ts';
import type { RecipientKind } from '../kinds/recipientKind.ts';
import {
  constant,
  group,
  line,
  nameOf,
  type RecipientField,
  type RecipientGroup,
  text,
  words,
} from '../kinds/schema.ts';
import { oneCase } from '../kinds/spelling.ts';

/** An EVM address in any letter case. */
export const EVM_ADDRESS_PATTERN = '^0x[a-fA-F0-9]{40}$';

/** What decides the shape of a wallet. */
export type WalletFacts = { readonly type: 'wallet'; readonly chainId: number };

/** Who holds the key of a wallet: its owner, or a provider of services with virtual assets, such as an exchange. */
export type WalletCustody = { readonly kind: 'SELF_HOSTED' | 'VASP'; readonly vasp?: string };

/** The owner of a wallet. */
export type WalletRecipient = {
  readonly type: 'wallet';
  readonly chainId: number;
  /** Lower case. */
  readonly address: `0x${string}`;
  readonly name?: string;
  /** Absent: nobody has said. */
  readonly custody?: WalletCustody;
};

/** The owner of a wallet as the rest of the system sees one. The address is public and so is the provider, the name is initials. */
export type MaskedWallet = WalletRecipient & { readonly fingerprint: string };

const ADDRESS: RecipientField = {
  ...text({
    title: 'Wallet address',
    description: 'an address of 0x and 40 hex digits, whose mixed letter case is its EIP-55 checksum',
    example: '0x1111111111111111111111111111111111111111',
    minLength: 42,
    maxLength: 42,
  }),
  pattern: EVM_ADDRESS_PATTERN,
  format: 'evm-address',
};

const CUSTODY: RecipientGroup = group(
  'Custody',
  'who holds the key of the wallet',
  {
    kind: words('Kind of custody', ['VASP', 'SELF_HOSTED']),
    vasp: line({
      title: 'VASP',
      description: 'the name of the provider that holds the wallet',
      example: 'Example Exchange',
      minLength: 1,
      maxLength: 140,
    }),
  },
  ['kind'],
);

/** A wallet on a chain. */
export const WALLET: RecipientKind<WalletFacts, WalletRecipient, MaskedWallet> = {
  shape: ({ chainId }) =>
    group(
      'Wallet',
      `the owner of a wallet on chain ${chainId}`,
      {
        type: constant('Type', 'wallet', 'wallet'),
        chainId: constant('Chain', chainId, `${chainId}, the chain this corridor pays on`),
        address: ADDRESS,
        name: nameOf("the owner's full name"),
        custody: CUSTODY,
      },
      ['type', 'chainId', 'address'],
    ),

  normal: (recipient) => ({ ...recipient, address: recipient.address.toLowerCase() as `0x${string}` }),

  // Custody is there only where somebody has said it, so that fingerprints from before stay what they are.
  canonical: ({ chainId, address, name, custody }) => [
    'wallet',
    chainId,
    address.toLowerCase(),
    name === undefined ? null : oneCase(name),
    ...(custody === undefined
      ? []
      : [custody.kind, custody.vasp === undefined ? null : oneCase(custody.vasp)]),
  ],

  mask: ({ type, chainId, address, name, custody }, fingerprint) => ({
    type,
    chainId,
    address,
    ...(name === undefined ? {} : { name: initials(name) }),
    ...(custody === undefined ? {} : { custody }),
    fingerprint,
  }),
};
