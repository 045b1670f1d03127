import { type Static, Type } from 'typebox';
import { Amount, ChainId, EvmAddress, Timestamp } from './fields.ts';
import { Token } from './markets.ts';

/** Response of GET /v1/sandbox. */
export const Sandbox = Type.Object(
  {
    chainId: ChainId,
    rpcUrl: Type.String({ description: "The sandbox chain's JSON-RPC address." }),
    accounts: Type.Array(
      Type.Object({
        address: EvmAddress,
        privateKey: Type.String({
          description: 'A throw-away key of the sandbox chain. Never use it elsewhere.',
        }),
      }),
      { description: 'Funded accounts to execute instructions with.' },
    ),
    routers: Type.Object(
      {},
      { additionalProperties: Type.String(), description: 'Router contracts by name.' },
    ),
    tokens: Type.Array(Token),
  },
  { description: 'The built-in sandbox chain.' },
);
export type Sandbox = Static<typeof Sandbox>;

/** Body of POST /v1/sandbox/clock. */
export const ClockRequest = Type.Object(
  {
    advance: Type.String({
      description:
        'ISO 8601 duration of whole seconds, from one second to one year, such as PT20M or P1D. The clock never goes back.',
      examples: ['PT20M'],
    }),
  },
  { additionalProperties: false },
);

/** Response of POST /v1/sandbox/clock. */
export const ClockAnswer = Type.Object({ now: Timestamp });
export type ClockAnswer = Static<typeof ClockAnswer>;

/** Body of POST /v1/sandbox/faucet: a token and an amount, or native and an amount. */
export const FaucetRequest = Type.Object(
  {
    address: EvmAddress,
    token: Type.Optional(EvmAddress),
    native: Type.Optional(Type.Boolean({ description: 'true for native currency, in place of token.' })),
    amount: Amount,
  },
  { additionalProperties: false, description: 'Either token, or native: true.' },
);

/** Response of POST /v1/sandbox/faucet, once the funds are there. */
export const FaucetAnswer = Type.Object({
  address: EvmAddress,
  token: Type.Optional(EvmAddress),
  native: Type.Optional(Type.Boolean()),
  amount: Amount,
});
export type FaucetAnswer = Static<typeof FaucetAnswer>;

/** Response of GET /v1/sandbox/mailbox. */
export const Mailbox = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        to: Type.String(),
        subject: Type.String(),
        text: Type.String(),
        html: Type.String(),
        links: Type.Array(Type.String(), { description: 'Every address in it.' }),
        at: Timestamp,
      }),
      { description: 'Newest first.' },
    ),
  },
  { description: 'E-mails that the sandbox caught instead of sending.' },
);
export type Mailbox = Static<typeof Mailbox>;
