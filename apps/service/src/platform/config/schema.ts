import { ROUTER_KINDS } from '@fairway/evm';
import { PAYMENT_MODES } from '@fairway/wire';
import Type, { type Static } from 'typebox';
import { Organisation } from './organisationSchema.ts';

const CLOSED = { additionalProperties: false } as const;

const Address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'A contract address; a mixed-case one must carry its EIP-55 checksum.',
});

const FeePips = Type.Integer({
  minimum: 0,
  maximum: 999_999,
  description: 'A fee in millionths: 3000 is 0.3 %.',
});

const Factory = Type.Object(
  {
    kind: Type.Union([Type.Literal('UNISWAP_V2'), Type.Literal('UNISWAP_V3')]),
    name: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
      description: 'Shown as a source in quotes, and what excludeSources takes.',
    }),
    address: Address,
    feePips: Type.Optional({
      ...FeePips,
      description: 'For UNISWAP_V2: the fee of every pair. Default: 3000.',
    }),
    feeTiers: Type.Optional(
      Type.Array(FeePips, {
        minItems: 1,
        uniqueItems: true,
        description: 'To look for, for UNISWAP_V3. Default: 100, 500, 3000 and 10000.',
      }),
    ),
  },
  CLOSED,
);

const Router = Type.Object(
  {
    kind: Type.Enum(ROUTER_KINDS),
    address: Address,
  },
  {
    ...CLOSED,
    description: 'The router that instructions call. Its own factories must be among `factories`.',
  },
);

const NodeUrl = Type.String({
  pattern: '^(https?://|wss?://|/|env:[A-Z][A-Z0-9_]*$)',
  description: 'http(s), ws(s), the path of an IPC socket, or env:NAME for a URL kept in the environment.',
});

const Node = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
      description: 'Lower case letters, digits and hyphens. Appears in logs and metrics.',
    }),
    urls: Type.Array(NodeUrl, {
      minItems: 1,
      description:
        'In order of preference. All of one provider: they count as one node. At least one that can push (ws or IPC) makes markets faster.',
    }),
  },
  CLOSED,
);

const Chain = Type.Object(
  {
    chainId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    name: Type.String({ minLength: 1, maxLength: 64 }),
    nativeSymbol: Type.Optional(Type.String({ minLength: 1, maxLength: 16, default: 'ETH' })),
    explorerUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'The address of a block explorer over https, such as https://basescan.org, with /tx/HASH below it (EIP-3091). Recipients of wallets get a link to their payment there. Default: they read its hash alone.',
      }),
    ),
    nodes: Type.Optional(
      Type.Array(Node, {
        minItems: 1,
        maxItems: 16,
        description:
          'The nodes that are asked. Use three of different providers: what two of them say alike is used, and one may be away or wrong.',
      }),
    ),
    agreement: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'How many nodes must say the same before it is used: more than half of them. Default: the smallest such number, which is 1 of 1, 2 of 2 or 3, 3 of 4 or 5.',
      }),
    ),
    rpcUrls: Type.Optional(
      Type.Array(NodeUrl, {
        minItems: 1,
        description: 'The URLs of a single node, in place of nodes: what it says is believed.',
      }),
    ),
    wrappedNative: Address,
    multicall3: Type.Optional(Address),
    factories: Type.Array(Factory, { minItems: 1 }),
    routers: Type.Array(Router, { minItems: 1, maxItems: 1 }),
    confirmations: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description: 'Blocks after which a transaction counts as final. Default: 12.',
      }),
    ),
    quoteLifetimeSeconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 600, description: 'expiresAt minus asOf. Default: 24.' }),
    ),
    staleAfterSeconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 3600,
        description:
          'Without contact with a node, or behind its latest block, for longer than this, quotes are refused. Default: 30.',
      }),
    ),
    maxBlockAgeSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'A latest block older than this is refused. Required unless environment is sandbox: a node that stands still looks like one that is up to date.',
      }),
    ),
    maxPriceImpactBps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Quotes beyond this are refused. Default: 5000.',
      }),
    ),
    allowUnsimulated: Type.Optional(
      Type.Boolean({
        description:
          'Whether swaps are given out that the nodes cannot simulate with eth_simulateV1. Then neither a wrong market nor a token that keeps a part of transfers is noticed. Default: false.',
      }),
    ),
    pollIntervalMs: Type.Optional(
      Type.Integer({ minimum: 50, maximum: 60_000, description: 'Default: 1000.' }),
    ),
  },
  CLOSED,
);

const AMOUNT_DIGITS =
  'An amount in the smallest units of the source token, as a text of digits such as "1000000".';
const AmountDigits = Type.String({ pattern: '^[1-9][0-9]{0,77}$', description: AMOUNT_DIGITS });

const Duration = Type.String({
  minLength: 2,
  maxLength: 32,
  description: 'An ISO 8601 duration, such as PT1M or P1D.',
});

const RateSource = Type.Object(
  {
    url: Type.String({
      pattern: '^(https?://[^\\s#]+|env:[A-Z][A-Z0-9_]*)$',
      description:
        'Answers JSON. USER:PASSWORD@ before the host where it asks for them, or env:NAME for a URL kept in the environment. Callers and recipients see its origin alone. Redirects are not followed.',
    }),
    pointer: Type.String({
      pattern: '^(/([^~/]|~[01])*)*$',
      description:
        'The JSON pointer (RFC 6901) of the rate in its answer, such as /data/PHP. The rate says how many units of the currency one unit of the token is worth, as a decimal number or a text.',
    }),
    maxAgeSeconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'A rate that was read longer ago is not used: nothing is estimated then.',
    }),
  },
  {
    ...CLOSED,
    description:
      'Where the rate is read that estimates of the amount in the currency are made with. Default: none are made.',
  },
);

const CorridorTarget = Type.Object(
  {
    type: Type.Union([
      Type.Literal('BANK'),
      Type.Literal('WALLET'),
      Type.Literal('EMONEY'),
      Type.Literal('EMAIL'),
    ]),
    country: Type.Optional(
      Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2; required for BANK.' }),
    ),
    currency: Type.String({
      pattern: '^[A-Za-z0-9.]{2,16}$',
      description: 'What the recipient is paid in: a currency code or a token symbol.',
    }),
    conversion: Type.Optional(
      Type.Union([Type.Literal('PEGGED'), Type.Literal('CUSTODIAN')], {
        description:
          'PEGGED: a unit of the token is a unit of the currency; you say so. CUSTODIAN: the custodian converts the token at a rate of its own, and nobody is shown an amount in the currency. A wallet is paid the token itself. Default: CUSTODIAN.',
      }),
    ),
    rate: Type.Optional(RateSource),
    rail: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
    emoneyProviders: Type.Optional(
      Type.Array(Type.String({ pattern: '^[^\\s\\p{C}]+( [^\\s\\p{C}]+)*$', maxLength: 64 }), {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        description:
          'The names of the providers whose eMoney wallets the custodian pays, as people know them: recipients choose from this list. Default: any provider can be named.',
      }),
    ),
    token: {
      ...Address,
      description: "The swap's output, which the custodian is given. It must be on a token list.",
    },
    custodian: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Who pays out; shown to integrators, and to recipients whose money it converts.',
    }),
    settlementAddress: { ...Address, description: "The custodian's account: where the swap's output goes." },
    payoutAddresses: Type.Optional(
      Type.Array(Address, {
        minItems: 1,
        maxItems: 100,
        description:
          'The accounts that the custodian pays wallets from. Payouts to wallets are VERIFIED only when they come from one of these. Default: none, so that they are REPORTED.',
      }),
    ),
  },
  CLOSED,
);

const Corridor = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' }),
    source: Type.Object({ chainId: Type.Integer({ minimum: 1 }), token: Address }, CLOSED),
    target: CorridorTarget,
    status: Type.Optional(Type.Union([Type.Literal('ACTIVE'), Type.Literal('SUSPENDED')])),
    modes: Type.Array(Type.Enum(PAYMENT_MODES), {
      minItems: 1,
      uniqueItems: true,
    }),
    destinations: Type.Optional(
      Type.Object(
        {
          wallet: Type.Optional(Type.Boolean()),
          bankCountries: Type.Optional(
            Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { minItems: 1, uniqueItems: true }),
          ),
          emoney: Type.Optional(Type.Boolean()),
        },
        { ...CLOSED, description: 'What a recipient who is e-mailed may choose; required for EMAIL.' },
      ),
    ),
    minAmountIn: Type.Optional({
      ...AmountDigits,
      description: `${AMOUNT_DIGITS} Default: 1.`,
    }),
    maxAmountIn: Type.Optional({
      ...AmountDigits,
      description: `${AMOUNT_DIGITS} Default: no bound.`,
    }),
    dustBelow: Type.Optional({
      ...AmountDigits,
      description: `${AMOUNT_DIGITS} A deposit below it is dust: it begins no payment, but counts. Default: a thousandth of each plan's amount.`,
    }),
    paymentApproval: Type.Optional(
      Type.Object(
        {
          above: Type.String({
            pattern: '^(0|[1-9][0-9]{0,77})$',
            description: `${AMOUNT_DIGITS} 0: every payment.`,
          }),
        },
        {
          ...CLOSED,
          description:
            'Payments of more than this amountIn give out no instructions until another credential with payments:approve has approved them. Default: none needs approval.',
        },
      ),
    ),
    payeeCheck: Type.Optional(
      Type.Object(
        {
          accepted: Type.Array(
            Type.Union([Type.Literal('MATCH'), Type.Literal('PARTIAL'), Type.Literal('NOT_POSSIBLE')]),
            { minItems: 1, uniqueItems: true },
          ),
        },
        {
          ...CLOSED,
          description:
            'Registered recipients alone are paid, whose present details have a check of the payee that came to one of these results. Not for EMAIL. Default: no check is needed.',
        },
      ),
    ),
    minConfirmations: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description:
          "Blocks, the transaction's own included, after which it counts as final. Default: the chain's confirmations.",
      }),
    ),
    settlementTime: Type.Object({ min: Duration, max: Duration }, CLOSED),
  },
  CLOSED,
);

const Payments = Type.Object(
  {
    planLifetimeHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8_760,
        description: 'How long a plan lives while no money moves. Default: 168, which is seven days.',
      }),
    ),
    corridors: Type.Array(Corridor, { minItems: 1 }),
    organisations: Type.Optional(
      Type.Array(Organisation, {
        description:
          'How organisations appear on the collect page and in its e-mails, and which of these they send. Also whether a second person approves recipients, and who is told of failing webhooks.',
      }),
    ),
  },
  { ...CLOSED, description: 'Payment plans. Needs FAIRWAY_SEALING_KEYS. Default: none are offered.' },
);

const Webhooks = Type.Object(
  {
    allowPrivate: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          'Networks that are not public, as CIDR ranges, such as 10.1.2.3/32. Everybody who can make webhook endpoints ' +
          'can find out what listens there: name single machines.',
      }),
    ),
  },
  { ...CLOSED, description: 'Where webhooks may be sent. Default: to public addresses over https.' },
);

const Events = Type.Object(
  {
    keepDays: Type.Integer({
      minimum: 1,
      maximum: 3_650,
      description: 'How many days events, and what was sent of them to webhooks, can be read and sent again.',
    }),
  },
  { ...CLOSED, description: 'What others are told. Default: events are kept for 30 days.' },
);

const Mail = Type.Object(
  {
    smtpUrl: Type.String({
      pattern: '^(smtps?://[^\\s/?#]+/?|env:[A-Z][A-Z0-9_]*)$',
      description:
        'smtp(s)://HOST:PORT, with USER:PASSWORD@ where the server asks for them, or env:NAME for a URL kept in the ' +
        'environment. smtps is TLS from the start; smtp turns to TLS where the server offers it, and a password is ' +
        'never sent to another machine without.',
    }),
    from: Type.String({
      minLength: 3,
      maxLength: 320,
      description: 'Who e-mails come from: Name <name@example.com>.',
    }),
  },
  { ...CLOSED, description: 'How e-mail is sent. Needed where a corridor offers DIGITAL_COLLECT.' },
);

/** The configuration file of `fairway start --config FILE`. */
export const ConfigFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    environment: Type.Optional(Type.Union([Type.Literal('production'), Type.Literal('sandbox')])),
    publicUrl: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*[^/\\s?#])?$',
        description:
          'The address callers use, without a trailing slash. Needed where a corridor offers DIGITAL_COLLECT: links lead ' +
          'there. Default: the address the service listens on.',
      }),
    ),
    trustedProxies: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Addresses or CIDR ranges of the proxies in front, whose X-Forwarded-For is believed. Without them all callers ' +
          'behind a proxy have its address, and limits by address count them together.',
      }),
    ),
    chains: Type.Array(Chain, { minItems: 1 }),
    tokenLists: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'Files in the Uniswap token-list format, relative to this file.',
    }),
    limits: Type.Optional(
      Type.Object(
        {
          requestsPerSecond: Type.Optional(
            Type.Integer({
              minimum: 1,
              description: 'For each organisation, all its credentials together. Default: 100.',
            }),
          ),
          failedLoginsPerMinute: Type.Optional(
            Type.Integer({ minimum: 1, description: 'For each caller address. Default: 100.' }),
          ),
        },
        CLOSED,
      ),
    ),
    databaseGraceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'How long known credentials keep working while the database is away. Default: 300.',
      }),
    ),
    payments: Type.Optional(Payments),
    mail: Type.Optional(Mail),
    webhooks: Type.Optional(Webhooks),
    events: Type.Optional(Events),
    metrics: Type.Optional(
      Type.Object(
        {
          host: Type.Optional(Type.String({ minLength: 1 })),
          port: Type.Integer({ minimum: 0, maximum: 65_535 }),
        },
        { ...CLOSED, description: 'Where /metrics is served, apart from the API. Default: not served.' },
      ),
    ),
  },
  { ...CLOSED, title: 'Fairway configuration' },
);

/** The configuration file as written. */
export type ConfigFile = Static<typeof ConfigFile>;

/**
 * A token list in the format of tokenlists.org; other members of the format are allowed and not used. Entries of chains that
 * are not served are not judged: lists name chains whose addresses have other forms.
 */
export const TokenListFile = Type.Object({
  name: Type.String({ minLength: 1 }),
  tokens: Type.Array(Type.Object({ chainId: Type.Integer({ minimum: 1 }) }), { minItems: 1 }),
});

/** A token list as written. */
export type TokenListFile = Static<typeof TokenListFile>;

/** An entry of a token list, of a chain that is served. */
export const ListedToken = Type.Object({
  chainId: Type.Integer({ minimum: 1 }),
  address: Address,
  symbol: Type.String(),
  name: Type.String(),
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
});

/** An entry as written. */
export type ListedToken = Static<typeof ListedToken>;
