import { type Static, Type } from 'typebox';
import { Amount, ChainId, EvmAddress, Timestamp, wordOf } from './fields.ts';
import { Token } from './markets.ts';
import { MoneyToken } from './money.ts';

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
    factories: Type.Array(
      Type.Object({
        kind: wordOf(['UNISWAP_V2', 'UNISWAP_V3'], { description: 'What its pools are.' }),
        name: Type.String({ description: 'The source that quotes name.', examples: ['uniswap-v3'] }),
        address: EvmAddress,
      }),
      { description: 'The contracts that made the pools.' },
    ),
    wrappedNative: { ...EvmAddress, description: 'The token that wraps the native currency.' },
    multicall3: { ...EvmAddress, description: 'Multicall3, which reads many pools at once.' },
    smtpUrl: Type.String({
      description: 'The mail server of the sandbox: what is sent there is shown at /sandbox/mailbox.',
    }),
    tokens: Type.Array(Token),
  },
  {
    description:
      'The built-in sandbox chain. Its contracts and its mail server are what a configuration of your own needs; `fairway config sandbox` writes one.',
  },
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

/** Body of POST /v1/sandbox/faucet: an asset and an amount, or native and an amount. */
export const FaucetRequest = Type.Object(
  {
    address: { ...EvmAddress, description: 'The account that gets it.' },
    asset: Type.Optional(MoneyToken),
    native: Type.Optional(Type.Boolean({ description: 'true for native currency, in place of asset.' })),
    amount: Amount,
  },
  { additionalProperties: false, description: 'Either asset, or native: true.' },
);

/** Response of POST /v1/sandbox/faucet, once the funds are there. */
export const FaucetAnswer = Type.Object({
  address: EvmAddress,
  asset: MoneyToken,
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
        code: Type.Optional(
          Type.String({
            pattern: '^[0-9]{6}$',
            description: 'The code that the recipient enters, where the e-mail has one.',
          }),
        ),
        at: Timestamp,
      }),
      { description: 'Newest first.' },
    ),
  },
  { description: 'E-mails that the sandbox caught instead of sending.' },
);
export type Mailbox = Static<typeof Mailbox>;
