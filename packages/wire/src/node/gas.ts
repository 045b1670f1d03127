import { type Static, Type } from 'typebox';
import { Amount, ChainId, Timestamp } from '../fields.ts';

/** Bounds of the rules of gas. Above all, the configuration says what a unit may cost at most. */
export const GAS_BOUNDS = {
  leastFeePerGasCapWei: 1_000_000_000n,
  bumpAfterBlocks: { minimum: 1, maximum: 100 },
} as const;

const RULES = {
  maxFeePerGasCap: {
    ...Amount,
    description:
      'What a unit of gas may cost at most, in wei: from 1000000000 to the maxFeeGwei of the configuration.',
  },
  bumpAfterBlocks: Type.Integer({
    ...GAS_BOUNDS.bumpAfterBlocks,
    description: 'More is offered when a transaction has waited for so many blocks.',
  }),
};

/** Path of the rules of gas. */
export const GasPath = Type.Object({
  chainId: Type.String({ description: 'The id of a chain of the node.' }),
});

/** Body of PUT /relay/gas/{chainId}. */
export const GasRequest = Type.Object(RULES, {
  additionalProperties: false,
  description: 'Both rules of gas on a chain.',
});

/** The rules of gas on a chain. */
export const GasView = Type.Object(
  {
    chainId: ChainId,
    ...RULES,
    changedBy: Type.Optional(
      Type.String({ description: 'The credential that set them last. Absent: they are as configured.' }),
    ),
    changedAt: Type.Optional(Timestamp),
  },
  { description: 'The rules of gas that are in force on a chain.' },
);
export type GasView = Static<typeof GasView>;
