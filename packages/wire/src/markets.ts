import { type Static, Type } from 'typebox';
import { Amount, ChainId, EvmAddress, HASH_PATTERN, wordOf } from './fields.ts';
import { ACCEPTED_CHECKS } from './registeredRecipients.ts';

/** A chain that quotes and swaps can name. */
export const Chain = Type.Object(
  { chainId: ChainId, name: Type.String({ description: 'Display name.', examples: ['Ethereum'] }) },
  { description: 'A chain that quotes and swaps can name.' },
);
export type Chain = Static<typeof Chain>;

/** The ways in which money can reach a recipient. */
export const PAYMENT_MODES = ['STANDARD', 'DIGITAL_COLLECT'] as const;

const Decimals = Type.Integer({
  minimum: 0,
  maximum: 255,
  description: 'Used to render human-readable amounts.',
  examples: [6],
});

const TOKEN_MEMBERS = {
  chainId: ChainId,
  address: EvmAddress,
  symbol: Type.String({
    description: 'For display only: tokens are named by address.',
    examples: ['USDC'],
  }),
  decimals: Decimals,
};

/** A token of the sandbox. */
export const Token = Type.Object(TOKEN_MEMBERS, { description: 'A token.' });
export type Token = Static<typeof Token>;

/** A token with at least one route, or a token that is not traded because of its behaviour. */
export const MarketToken = Type.Object(
  {
    ...TOKEN_MEMBERS,
    traded: Type.Boolean({ description: 'Whether quotes and swaps can name it.' }),
    reason: Type.Optional(
      Type.String({
        description: 'Why it is not traded, where it is not.',
        examples: [
          'It moves other amounts than it is asked to: a transfer of 1000000 units to pool 0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc takes 1000000 and brings 950000.',
        ],
      }),
    ),
  },
  {
    description:
      'A token with at least one route, or one without because its transfers move other amounts than they are asked to (traded: false). The native currency is listed under its EIP-7528 address.',
  },
);
export type MarketToken = Static<typeof MarketToken>;

/** A contract that instructions can call. */
export const Router = Type.Object(
  {
    chainId: ChainId,
    address: EvmAddress,
    kind: wordOf(['SWAP_ROUTER_02', 'WRAPPED_NATIVE'], {
      description: 'WRAPPED_NATIVE: the token that wraps native currency, which exchanges both itself.',
    }),
    codeHash: Type.String({
      pattern: HASH_PATTERN,
      description: "The Keccak-256 of the contract's code, as the chain has it now.",
    }),
    selectors: Type.Array(Type.String({ pattern: '^0x[0-9a-f]{8}$' }), {
      description: 'The functions that instructions call. Approvals call approve of the input token.',
    }),
    spenders: Type.Array(EvmAddress, { description: 'The contracts that approvals for it name.' }),
  },
  { description: 'A contract that instructions can call.' },
);
export type Router = Static<typeof Router>;

/** How a corridor's token becomes its currency. */
export const Conversion = wordOf(['PEGGED', 'CUSTODIAN'], {
  description:
    "How the target's token becomes its currency. PEGGED: a unit of the token is a unit of the currency, as the operator declares. CUSTODIAN: the custodian converts it at a rate of its own, so amounts are amounts of the token. A wallet is paid the token itself.",
});

/** A payment corridor. */
export const Corridor = Type.Object(
  {
    id: Type.String({ description: 'The value used as corridorId in a payment request.' }),
    source: Type.Object(
      { chainId: ChainId, address: EvmAddress, symbol: Type.String(), decimals: Decimals },
      { description: 'What is deposited.' },
    ),
    target: Type.Object(
      {
        type: wordOf(['BANK', 'WALLET', 'EMONEY', 'EMAIL'], { description: 'Where the money ends.' }),
        country: Type.Optional(
          Type.String({ description: 'ISO 3166-1 alpha-2; of BANK.', examples: ['AU'] }),
        ),
        currency: Type.String({ description: 'What the recipient is paid in.', examples: ['AUD'] }),
        conversion: Conversion,
        rail: Type.Optional(Type.String({ examples: ['NPP'] })),
        chainId: Type.Optional(ChainId),
        address: Type.Optional(EvmAddress),
        symbol: Type.Optional(Type.String()),
        decimals: Type.Optional(Decimals),
        custodian: Type.String({ description: 'Who pays out.' }),
        settlementAddress: {
          ...EvmAddress,
          description: "Where the swap's output goes: the custodian's account.",
        },
        payoutAddresses: Type.Optional(
          Type.Array(EvmAddress, {
            description:
              'The accounts that the custodian pays wallets from. A payout to a wallet is VERIFIED when it comes from one of them, else REPORTED. Absent: none are known.',
          }),
        ),
      },
      { description: 'What is paid out, and the token and address that the custodian is given.' },
    ),
    constraints: Type.Object(
      {
        status: wordOf(['ACTIVE', 'SUSPENDED'], { description: 'SUSPENDED: no new plans.' }),
        modes: Type.Array(wordOf(PAYMENT_MODES, { description: 'A mode.' })),
        recipientTypes: Type.Array(
          wordOf(['bank', 'wallet', 'emoney', 'email'], { description: 'A kind of recipient.' }),
        ),
        destinations: Type.Optional(
          Type.Object(
            {
              wallet: Type.Boolean(),
              bankCountries: Type.Array(Type.String({ description: 'ISO 3166-1 alpha-2.' })),
              emoney: Type.Boolean(),
            },
            { description: 'For EMAIL: what the recipient who is e-mailed may choose.' },
          ),
        ),
        minAmountIn: Amount,
        maxAmountIn: Amount,
        dustBelow: Type.Optional({
          ...Amount,
          description:
            'What is below is dust: it begins no payment, but counts. Absent: a thousandth of the amount of each plan.',
        }),
        paymentApproval: Type.Optional(
          Type.Object(
            { above: Amount },
            { description: 'Payments of more than this amountIn need the approval of another credential.' },
          ),
        ),
        payeeCheck: Type.Optional(
          Type.Object(
            {
              accepted: Type.Array(
                wordOf(ACCEPTED_CHECKS, { description: 'A result of a check of a payee.' }),
              ),
            },
            {
              description:
                'Registered recipients alone are paid, whose present details have a check of the payee (PUT /v1/recipients/{recipientId}/verification) that came to one of accepted.',
            },
          ),
        ),
        minConfirmations: Type.Integer({
          minimum: 1,
          description: "Blocks, the transaction's own included, after which it counts as final.",
        }),
        settlementTime: Type.Object(
          { min: Type.String({ examples: ['PT1M'] }), max: Type.String({ examples: ['P1D'] }) },
          { description: 'ISO 8601 durations from the swap to the payout.' },
        ),
        requirementsUrl: Type.String({ description: 'Where the JSON Schema of recipients is.' }),
      },
      { description: 'What the corridor takes.' },
    ),
  },
  { description: 'A payment corridor: from a token on a chain to where money is paid out.' },
);
export type Corridor = Static<typeof Corridor>;

/** Query of the corridor list. */
export const CorridorsQuery = Type.Object(
  {
    status: Type.Optional(
      wordOf(['all'], { description: 'all: suspended corridors too. Absent: those that take plans.' }),
    ),
  },
  { additionalProperties: false },
);

/** Path of a corridor. */
export const CorridorPath = Type.Object({
  corridorId: Type.String({ description: 'The id of a corridor.' }),
});

/** Query of a corridor's requirements. */
export const RequirementsQuery = Type.Object(
  {
    recipientType: Type.Optional(
      wordOf(['bank', 'wallet', 'emoney', 'email'], {
        description: 'The kind of recipient. May be absent where the corridor takes one kind alone.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Response of a corridor's requirements. */
export const Requirements = Type.Object(
  {},
  {
    additionalProperties: true,
    description:
      'A JSON Schema (2020-12) of the recipient object, with labels (title) and hints (description): the one that validates requests. Its formats: iban, bic, clabe, aba-routing-number, evm-address, email-address.',
  },
);

/** Query of the token list. */
export const TokensQuery = Type.Object({ chainId: Type.Optional(ChainId) }, { additionalProperties: false });
