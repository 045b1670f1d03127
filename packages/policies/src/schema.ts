import Type, { type Static } from 'typebox';

const CLOSED = { additionalProperties: false } as const;

const Address = Type.String({
  pattern: '^0x[0-9a-f]{40}$',
  description: 'Give an address of 40 hex digits in lower case, with 0x in front.',
});
const ChainId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Give the id of a chain, such as 1.',
});
const Amount = Type.String({
  pattern: '^(0|[1-9][0-9]{0,77})$',
  description: 'Give an amount in smallest units as a text of decimal digits, such as "1000000".',
});
const Bps = Type.Number({
  minimum: 0,
  maximum: 10_000,
  description: 'Give basis points from 0 to 10000: 100 is 1 %.',
});

const Window = Type.String({
  pattern: '^(PT([1-9]|[1-9][0-9]|[1-6][0-9]{2}|7[01][0-9]|720)H|P([1-9]|[12][0-9]|30)D)$',
  description: 'Give a time from "PT1H" to "P30D" in whole hours or days, such as "P1D".',
});

const WindowLimit = Type.Object(
  {
    each: Type.Enum(['ALL', 'RELAYER', 'RECIPIENT'], {
      description:
        'Give "ALL" to count everything together, or "RELAYER" or "RECIPIENT" to count each of them by itself.',
    }),
    window: Window,
    most: Type.Optional(Amount),
    mostCount: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Give how many spendings the window may have, such as 100.',
      }),
    ),
  },
  { ...CLOSED, description: 'Give each, window, and most or mostCount.' },
);

const TokenPolicy = Type.Object(
  {
    address: Address,
    spend: Type.Optional(
      Type.Object(
        {
          most: Amount,
          limits: Type.Optional(Type.Array(WindowLimit, { description: 'Give a list of limits.' })),
        },
        {
          ...CLOSED,
          description: 'Give most, what one execution may spend, and limits where you want some.',
        },
      ),
    ),
  },
  {
    ...CLOSED,
    description: 'Give a token by its address. It can be spent where it has spend, else only received.',
  },
);

const TopUp = Type.Object(
  {
    from: Address,
    to: Address,
    belowWei: Amount,
    amountWei: Amount,
    window: Window,
    mostCount: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Give how many top-ups the window may have, such as 4.',
    }),
  },
  {
    ...CLOSED,
    description:
      'Give from and to, two relayers; belowWei, the mark; amountWei, what is sent; window and mostCount, how often.',
  },
);

const ChainPolicy = Type.Object(
  {
    chainId: ChainId,
    routers: Type.Array(Address, {
      uniqueItems: true,
      description: 'Give the list of routers that may be called and approved. It may be empty.',
    }),
    wrappedNative: Type.Optional(Address),
    tokens: Type.Array(TokenPolicy, {
      description: 'Give the list of tokens that may be spent or received.',
    }),
    corridors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            corridorId: Type.String({
              minLength: 1,
              maxLength: 64,
              description: 'Give the id of a corridor, such as "usdc-aud-bank".',
            }),
            tokenIn: Address,
            tokenOut: Address,
            settlementAddress: Address,
          },
          {
            ...CLOSED,
            description:
              'Give corridorId, tokenIn, tokenOut and settlementAddress: what it swaps, and whom it pays.',
          },
        ),
        { description: 'Give the list of corridors whose payments may be executed.' },
      ),
    ),
    recipients: Type.Union(
      [Type.Literal('ANY'), Type.Array(Type.Union([Type.Literal('RELAYER'), Address]))],
      { description: 'Give a list of addresses and "RELAYER" for who pays, or "ANY" in place of the list.' },
    ),
    maxLifeSec: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'Give for how many seconds a signed swap may be executable, such as 1200.',
    }),
    maxOptimalityGapBps: Type.Optional(Bps),
    minTrust: Type.Optional(
      Type.Enum(['SINGLE_NODE', 'AGREED'], { description: 'Give "SINGLE_NODE" or "AGREED".' }),
    ),
    maxSlippageBps: Type.Optional(Bps),
    simulation: Type.Enum(['DEMANDED', 'NOT_DEMANDED'], {
      description: 'Give "DEMANDED", or "NOT_DEMANDED" to sign what was not simulated, too.',
    }),
    mostGas: Amount,
    keepWei: Amount,
    topUps: Type.Optional(
      Type.Array(TopUp, { description: 'Give the list of relayers that another one fills up.' }),
    ),
  },
  { ...CLOSED, description: 'Give what may be signed on one chain.' },
);

const TypedDataRule = Type.Object(
  {
    chainId: ChainId,
    verifyingContract: Address,
    primaryType: Type.String({
      pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
      description: 'Give the name of a type, such as "Order".',
    }),
  },
  { ...CLOSED, description: 'Give chainId, verifyingContract and primaryType.' },
);

/**
 * The form of a policy document. Nothing is allowed that it does not name. Native currency is a token like others, by the
 * address 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee.
 */
export const PolicyDocument = Type.Object(
  {
    chains: Type.Array(ChainPolicy, { description: 'Give a list with one entry for each chain.' }),
    typedData: Type.Optional(
      Type.Array(TypedDataRule, { description: 'Give a list of what typed data may be signed.' }),
    ),
    messages: Type.Optional(
      Type.Enum(['ALLOWED', 'REFUSED'], {
        description: 'Give "ALLOWED" to sign messages of text, or "REFUSED".',
      }),
    ),
  },
  { ...CLOSED, description: 'Give an object with chains.' },
);
/** A policy document as its schema has it. */
export type PolicyDocument = Static<typeof PolicyDocument>;
