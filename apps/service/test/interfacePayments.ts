// The interface's payments in JSON Schema, said a second time and apart from packages/wire.
import {
  Amount,
  ChainId,
  closed,
  count,
  EvmAddress,
  Hash,
  Instruction,
  listOf,
  Quote,
  type Schema,
  text,
  Timestamp,
  uint64,
} from './interfaceSchemas.ts';

const wordOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });
const boolean: Schema = { type: 'boolean' };
const oneOf = (...schemas: readonly Schema[]): Schema => ({ oneOf: schemas });
const Mode = wordOf('STANDARD', 'DIGITAL_COLLECT');
const Duration: Schema = { type: 'string', format: 'duration' };

/** A corridor. */
export const Corridor = closed({
  id: text,
  source: closed({ chainId: ChainId, token: EvmAddress, symbol: text, decimals: count }),
  target: closed({
    type: wordOf('BANK', 'WALLET', 'EMONEY', 'EMAIL'),
    'country?': { type: 'string', pattern: '^[A-Z]{2}$' },
    currency: text,
    'rail?': text,
    chainId: ChainId,
    token: EvmAddress,
    symbol: text,
    decimals: count,
    custodian: text,
    settlementAddress: EvmAddress,
  }),
  constraints: closed({
    status: wordOf('ACTIVE', 'SUSPENDED'),
    modes: { ...listOf(Mode), minItems: 1 },
    recipientTypes: { ...listOf(wordOf('bank', 'wallet', 'emoney', 'email')), minItems: 1 },
    minAmountIn: Amount,
    maxAmountIn: Amount,
    minConfirmations: { type: 'integer', minimum: 1 },
    settlementTime: closed({ min: Duration, max: Duration }),
    requirementsUrl: { type: 'string', format: 'uri' },
  }),
});

const masked = { name: text, fingerprint: text };
const Recipient = oneOf(
  closed({
    type: { const: 'bank' },
    ...masked,
    country: text,
    account: closed({ accountNumberLast4: { type: 'string', maxLength: 4 } }),
  }),
  closed({
    type: { const: 'wallet' },
    chainId: ChainId,
    address: EvmAddress,
    'name?': text,
    fingerprint: text,
  }),
  closed({
    type: { const: 'emoney' },
    ...masked,
    provider: text,
    idType: wordOf('PHONE', 'EMAIL', 'ACCOUNT_ID'),
    idValueLast4: { type: 'string', maxLength: 4 },
    currency: text,
  }),
  closed({ type: { const: 'email' }, email: text, 'name?': text, 'locale?': text, fingerprint: text }),
);

const Failure = closed({ code: text, 'detail?': text });
const Evidence = closed({
  chainId: ChainId,
  txHash: Hash,
  blockNumber: uint64,
  blockHash: Hash,
  amount: Amount,
  status: wordOf('CONFIRMING', 'FINAL', 'LOST'),
});
const Transfer = closed({
  chainId: ChainId,
  txHash: Hash,
  logIndex: count,
  blockNumber: uint64,
  amount: Amount,
});

/** Members of every step, and of those of one type. */
const stepOf = (type: string, members: Record<string, Schema>): Schema =>
  closed({
    stepId: { type: 'string', pattern: '^step_[0-9a-f]{32}$' },
    type: { const: type },
    status: wordOf('PENDING', 'READY', 'DONE', 'FAILED'),
    'verification?': wordOf('VERIFIED', 'REPORTED', 'UNVERIFIABLE'),
    'failure?': Failure,
    ...members,
  });
const AwaitDeposit = stepOf('AWAIT_DEPOSIT', {
  deposit: closed({
    expected: Amount,
    received: Amount,
    confirmed: Amount,
    'outcome?': wordOf('PARTIAL', 'EXACT', 'OVER', 'LATE'),
    transfers: listOf(Transfer),
  }),
});
const ExecuteSwap = stepOf('EXECUTE_SWAP', {
  instructions: listOf(Instruction),
  attempts: listOf(
    closed({
      at: Timestamp,
      outcome: wordOf('OPEN', 'SUPERSEDED', 'EXECUTED', 'FAILED', 'LOST'),
      notAfter: Timestamp,
      minAmountOut: Amount,
      'txHash?': Hash,
      'failure?': Failure,
    }),
  ),
  'evidence?': Evidence,
});
const CustodianAction = closed({
  action: wordOf('PAYOUT_BANK', 'PAYOUT_EMONEY', 'TRANSFER_ONCHAIN'),
  custodian: text,
  'rail?': text,
  asset: closed({ chainId: ChainId, token: EvmAddress, amount: Amount, isFinal: boolean }),
  target: closed({ currency: text }),
  beneficiary: Recipient,
  endToEndId: { type: 'string', minLength: 1, maxLength: 35 },
  remittanceInfo: text,
  'notAfter?': Timestamp,
  requiredEvidence: { ...listOf(wordOf('providerReference', 'txHash')), minItems: 1 },
});
const CustodianPayout = stepOf('CUSTODIAN_PAYOUT', {
  custodianAction: CustodianAction,
  attempts: listOf(
    closed({ at: Timestamp, outcome: { const: 'FAILED' }, 'providerReference?': text, failure: Failure }),
  ),
  'providerReference?': text,
  'paidAmount?': Amount,
  'occurredAt?': Timestamp,
  'evidence?': Evidence,
});
const version: Schema = { type: 'integer', minimum: 1 };
/** What a recipient chose in a round, and how it is paid. */
const submission = {
  'destination?': Recipient,
  'submittedAt?': Timestamp,
  'delivery?': closed({
    status: wordOf('PENDING', 'SENT', 'DELIVERED', 'FAILED', 'RETURNED'),
    'verification?': wordOf('VERIFIED', 'REPORTED'),
    'providerReference?': text,
    'paidAmount?': Amount,
    'occurredAt?': Timestamp,
    'failure?': Failure,
    'evidence?': Evidence,
  }),
};
const SendDigitalCollect = stepOf('SEND_DIGITAL_COLLECT', {
  collect: closed({
    'link?': closed({
      version,
      state: wordOf('WAITING', 'SENT', 'OPENED', 'SUBMITTED', 'EXPIRED', 'CANCELLED'),
      mail: wordOf('QUEUED', 'ACCEPTED', 'BOUNCED'),
      madeAt: Timestamp,
      expiresAt: Timestamp,
      'openedAt?': Timestamp,
      resends: { type: 'integer', minimum: 0, maximum: 5 },
    }),
    'destinationType?': wordOf('wallet', 'bank', 'emoney'),
    ...submission,
    rounds: listOf(closed({ version, ...submission })),
  }),
  'custodianAction?': CustodianAction,
});

/** What is only moved is not routed. */
const TransferQuote = closed({
  asOf: closed({ timestamp: Timestamp, blockNumber: uint64 }),
  expiresAt: Timestamp,
  chainId: ChainId,
  tokenIn: EvmAddress,
  tokenOut: EvmAddress,
  tradeType: { const: 'EXACT_IN' },
  amountIn: Amount,
  amountOut: Amount,
});
const stepsOf = (...steps: readonly Schema[]): Schema => ({
  type: 'array',
  prefixItems: steps,
  minItems: 3,
  maxItems: 3,
});
/** A payment plan with its steps. */
export const PaymentPlan = closed({
  planId: { type: 'string', pattern: '^plan_[0-9a-f]{32}$' },
  clientReference: { type: 'string', minLength: 1, maxLength: 128 },
  corridorId: text,
  mode: Mode,
  status: wordOf(
    ...[
      'PENDING',
      'IN_PROGRESS',
      'ACTION_REQUIRED',
      'COMPLETED',
      'FAILED',
      'EXPIRED',
      'CANCELLED',
      'RETURNED',
    ],
  ),
  revision: { type: 'integer', minimum: 1 },
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp,
  cancelable: boolean,
  amountIn: Amount,
  'quote?': oneOf(Quote, TransferQuote),
  'nextAction?': closed({
    stepId: text,
    actor: wordOf('INTEGRATOR', 'RECIPIENT', 'SERVICE'),
    what: { type: 'string', pattern: '^[A-Z_]+$' },
    detail: text,
    'deadline?': Timestamp,
  }),
  recipient: Recipient,
  metadata: { type: 'object', additionalProperties: { type: 'string' } },
  returns: listOf(
    closed({
      stepId: text,
      recordedAt: Timestamp,
      'occurredAt?': Timestamp,
      'providerReference?': text,
      'amount?': Amount,
      'failure?': Failure,
    }),
  ),
  steps: oneOf(
    stepsOf(AwaitDeposit, ExecuteSwap, CustodianPayout),
    stepsOf(AwaitDeposit, ExecuteSwap, SendDigitalCollect),
  ),
});
/** An event of a plan's history. */
export const PaymentEvent = closed({
  revision: { type: 'integer', minimum: 1 },
  at: Timestamp,
  type: { type: 'string', pattern: '^[A-Z_]+$' },
  actor: text,
  'stepId?': text,
  data: { type: 'object' },
});
