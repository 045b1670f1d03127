import { type Static, Type } from 'typebox';
import {
  Amount,
  BlockHash,
  BlockNumber,
  ChainId,
  EvmAddress,
  Timestamp,
  TxHash,
  Verification,
  wordOf,
} from './fields.ts';
import { pageOf } from './pages.ts';

const UNITS = "In the asset's smallest units.";

/** A token of a chain. */
export const MoneyToken = Type.Object(
  {
    chainId: ChainId,
    address: { ...EvmAddress, description: 'Native currency has the address of EIP-7528.' },
    symbol: Type.Optional(
      Type.String({
        description:
          'Absent while the chain is away. Requests may leave it out; another one than the token has is refused.',
        examples: ['USDC'],
      }),
    ),
    decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
  },
  { description: 'A token, in its smallest units.' },
);

/** What an amount is counted in. */
export const Asset = Type.Union(
  [
    MoneyToken,
    Type.Object(
      { currency: Type.String({ description: 'A code of ISO 4217.', examples: ['PHP'] }) },
      { description: 'A currency, in its minor units.' },
    ),
  ],
  { description: 'What an amount is counted in.' },
);
export type Asset = Static<typeof Asset>;

/** An amount with what it is counted in. */
export const Money = Type.Object(
  { amount: { ...Amount, description: UNITS }, asset: Asset },
  { description: 'An amount of an asset.' },
);

/** Why the money was not asked for, or why more was spent than had arrived. */
const UnallocatedReason = wordOf(
  [
    'ABOVE_AMOUNT',
    'AFTER_SWAP',
    'AFTER_END',
    'LEFT_AT_CLOSE',
    'OTHER_TOKEN',
    'SECOND_EXECUTION',
    'SWAP_WITHOUT_DEPOSIT',
    'PAID_WITHOUT_SWAP',
    'PAID_ABOVE_DUE',
  ],
  {
    description:
      'IN: a deposit above the amount, after the swap, after the end, in another token or in native currency. Also a swap that was executed twice, and money that was there when somebody ended the plan. OUT: a swap without a recorded deposit, a payout without a recorded swap, or of more than was due.',
  },
);

/** Money that is not where the plan wants it. */
export const Unallocated = Type.Object(
  {
    movementId: Type.Optional(Type.String({ description: 'The movement that brought it.' })),
    amount: { ...Amount, description: UNITS },
    asset: Asset,
    direction: wordOf(['IN', 'OUT'], {
      description:
        'IN: it is there, and nobody asked for it; with LEFT_AT_CLOSE it was there when somebody ended the plan. OUT: it was spent, and no arrival of it is recorded; it counts as negative.',
    }),
    reason: UnallocatedReason,
    acknowledged: Type.Boolean({
      description: 'Whether it was there when somebody ended the plan, and so counts as known.',
    }),
  },
  { description: 'Money that is not where the plan wants it. Somebody has to look at it.' },
);

/** Where the money of one asset is. */
export const AssetFunds = Type.Object(
  {
    asset: Asset,
    expected: { ...Amount, description: 'What the plan counts on: the deposit, or what is to be paid out.' },
    received: { ...Amount, description: 'What arrived as a deposit.' },
    swapped: Type.Object(
      {
        in: { ...Amount, description: 'What the swap spent.' },
        out: { ...Amount, description: 'What the swap brought.' },
      },
      { description: 'What the swap spent and brought.' },
    ),
    settled: {
      ...Amount,
      description: "The part with the corridor's confirmations, of what was received or brought by the swap.",
    },
    paidOut: Amount,
    returned: { ...Amount, description: 'What came back after it was paid out.' },
    refunded: { ...Amount, description: 'What was sent back to the payer.' },
    deducted: { ...Amount, description: 'What was kept, such as a fee.' },
    outstanding: { ...Amount, description: 'What is there, to be swapped or to be paid out.' },
    unallocated: Type.Array(Unallocated),
  },
  {
    description:
      'Where the money of one asset is. received + swapped.out + returned = swapped.in + paidOut + refunded + deducted + outstanding + unallocated. Unallocated money counts as negative where its direction is OUT.',
  },
);
export type AssetFunds = Static<typeof AssetFunds>;

/** The place of a movement on a chain. */
export const MovementTransfer = Type.Object(
  {
    chainId: ChainId,
    txHash: TxHash,
    logIndex: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'The index of its log in the block. Absent for SWAP_IN. Only a further call of one transaction has one: the log of what that call brought.',
      }),
    ),
    blockNumber: BlockNumber,
    blockHash: BlockHash,
    blockTime: Type.Optional(Timestamp),
    from: Type.Optional(EvmAddress),
    to: Type.Optional(EvmAddress),
  },
  { description: 'Where it is on the chain. A member that was not recorded is absent.' },
);

/** One movement of money. */
export const Movement = Type.Object(
  {
    movementId: Type.String({ description: 'Unique, and the same for ever.' }),
    kind: wordOf(['DEPOSIT', 'SWAP_IN', 'SWAP_OUT', 'PAYOUT', 'RETURN', 'REFUND', 'DEDUCTION'], {
      description: 'SWAP_IN: what the swap spent. SWAP_OUT: what it brought.',
    }),
    direction: wordOf(['IN', 'OUT'], {
      description:
        'Whether the money of the plan became more or less. The opposite where it takes another one back.',
    }),
    stepId: Type.Optional(Type.String()),
    attempt: Type.Optional(
      Type.Integer({ minimum: 0, description: "Which of the step's attempts, from 0." }),
    ),
    asset: Asset,
    expected: Type.Optional(Amount),
    actual: { ...Amount, description: UNITS },
    paid: Type.Optional({
      ...Money,
      description:
        'What the beneficiary was paid, in the currency of the payment. For a RETURN, it is what came back, where that was reported.',
    }),
    fee: Type.Optional(Money),
    rate: Type.Optional(Type.String()),
    transfer: Type.Optional(MovementTransfer),
    providerReference: Type.Optional(Type.String()),
    endToEndId: Type.Optional(Type.String()),
    occurredAt: Type.Optional(Timestamp),
    recordedAt: Timestamp,
    verification: Verification,
    reason: Type.Optional(UnallocatedReason),
    note: Type.Optional(Type.String({ description: 'What was said about it.' })),
    reverses: Type.Optional(
      Type.String({
        description: 'The movement that this one takes back, because it was not so or is no longer so.',
      }),
    ),
  },
  { description: 'One movement of money. Movements are only ever added.' },
);
export type Movement = Static<typeof Movement>;

/** Response of GET /v1/payments/{planId}/movements. */
export const MovementList = pageOf(Movement, 'Oldest first.', "A page of a plan's movements.");
export type MovementList = Static<typeof MovementList>;
