import { type Static, Type } from 'typebox';
import { ChainId, EvmAddress } from './fields.ts';

/** A chain that quotes and swaps can name. */
export const Chain = Type.Object(
  { chainId: ChainId, name: Type.String({ description: 'Display name.', examples: ['Ethereum'] }) },
  { description: 'A chain that quotes and swaps can name.' },
);
export type Chain = Static<typeof Chain>;

/** A token with at least one route. */
export const Token = Type.Object(
  {
    chainId: ChainId,
    address: EvmAddress,
    symbol: Type.String({
      description: 'For display only: tokens are named by address.',
      examples: ['USDC'],
    }),
    decimals: Type.Integer({
      minimum: 0,
      maximum: 255,
      description: 'Used to render human-readable amounts.',
      examples: [6],
    }),
  },
  {
    description: 'A token with at least one route. The native currency is listed under its EIP-7528 address.',
  },
);
export type Token = Static<typeof Token>;

/** A payment corridor. */
export const Corridor = Type.Object(
  {
    id: Type.String({ description: 'The value used as corridorId in a payment request.' }),
    source: Type.Object({}, { additionalProperties: true, description: 'Route source.' }),
    target: Type.Object({}, { additionalProperties: true, description: 'Route target.' }),
    constraints: Type.Object(
      {},
      { additionalProperties: true, description: 'Route constraints and metadata.' },
    ),
  },
  { description: 'A payment corridor.' },
);
export type Corridor = Static<typeof Corridor>;

/** Query of the token list. */
export const TokensQuery = Type.Object({ chainId: Type.Optional(ChainId) }, { additionalProperties: false });
