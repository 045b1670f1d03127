// The interface's payments in JSON Schema, written a second time and independent of packages/wire.
import {
  Amount,
  ChainId,
  closed,
  Count,
  EvmAddress,
  Hash,
  Instruction,
  MoneyToken,
  listOf,
  Quote,
  type Schema,
  Text,
  Timestamp,
  Trust,
  Uint64,
} from './interfaceSchemas.ts';

const wordOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });
const Flag: Schema = { type: 'boolean' };
const oneOf = (...schemas: readonly Schema[]): Schema => ({ oneOf: schemas });
const Asset = oneOf(MoneyToken, closed({ currency: Text }));
const Money = closed({ amount: Amount, asset: Asset });
const Deduction = closed({ amount: Amount, asset: Asset, reason: Text });
const Reason = wordOf(
  'ABOVE_AMOUNT',
  'AFTER_SWAP',
  'AFTER_END',
  'LEFT_AT_CLOSE',
  'OTHER_TOKEN',
  'SECOND_EXECUTION',
  'SWAP_WITHOUT_DEPOSIT',
  'PAID_WITHOUT_SWAP',
  'PAID_ABOVE_DUE',
);
const Mode = wordOf('STANDARD', 'DIGITAL_COLLECT');
const Duration: Schema = { type: 'string', format: 'duration' };

const Conversion = wordOf('PEGGED', 'CUSTODIAN');
const AmountEstimate = closed({
  amount: Amount,
  asset: closed({ currency: { type: 'string', pattern: '^[A-Z]{3}$' } }),
  rate: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?$' },
  asOf: Timestamp,
  source: Text,
});

/** A corridor. */
export const Corridor = closed({
  id: Text,
  source: closed({ chainId: ChainId, address: EvmAddress, symbol: Text, decimals: Count }),
  target: closed({
    type: wordOf('BANK', 'WALLET', 'EMONEY', 'EMAIL'),
    'country?': { type: 'string', pattern: '^[A-Z]{2}$' },
    currency: Text,
    conversion: Conversion,
    'rail?': Text,
    chainId: ChainId,
    address: EvmAddress,
    symbol: Text,
    decimals: Count,
    custodian: Text,
    settlementAddress: EvmAddress,
    'payoutAddresses?': listOf(EvmAddress),
  }),
  constraints: closed({
    status: wordOf('ACTIVE', 'SUSPENDED'),
    modes: { ...listOf(Mode), minItems: 1 },
    recipientTypes: { ...listOf(wordOf('bank', 'wallet', 'emoney', 'email')), minItems: 1 },
    minAmountIn: Amount,
    maxAmountIn: Amount,
    'destinations?': closed({
      wallet: { type: 'boolean' },
      bankCountries: { type: 'array', items: { type: 'string', pattern: '^[A-Z]{2}$' } },
      emoney: { type: 'boolean' },
    }),
    'dustBelow?': Amount,
    'paymentApproval?': closed({ above: Amount }),
    minConfirmations: { type: 'integer', minimum: 1 },
    settlementTime: closed({ min: Duration, max: Duration }),
    requirementsUrl: { type: 'string', format: 'uri' },
  }),
});

const Masked = { name: Text, fingerprint: Text };
const Recipient = oneOf(
  closed({
    type: { const: 'bank' },
    ...Masked,
    country: Text,
    account: closed({ accountNumberLast4: { type: 'string', maxLength: 4 } }),
  }),
  closed({
    type: { const: 'wallet' },
    chainId: ChainId,
    address: EvmAddress,
    'name?': Text,
    'custody?': closed({ kind: wordOf('VASP', 'SELF_HOSTED'), 'vasp?': Text }),
    fingerprint: Text,
  }),
  closed({
    type: { const: 'emoney' },
    ...Masked,
    provider: Text,
    idType: wordOf('PHONE', 'EMAIL', 'ACCOUNT_ID'),
    idValueLast4: { type: 'string', maxLength: 4 },
    currency: Text,
  }),
  closed({ type: { const: 'email' }, email: Text, 'name?': Text, 'locale?': Text, fingerprint: Text }),
);

const Failure = closed({ code: Text, 'detail?': Text });
/** Only while the custodian holds a payment back. */
const Hold = closed({
  reason: wordOf('COMPLIANCE_REVIEW', 'INFORMATION_REQUIRED', 'BANK_DELAY', 'OTHER'),
  needs: listOf(Text),
  'until?': Timestamp,
  heldAt: Timestamp,
  'providerReference?': Text,
});
const Evidence = closed({
  chainId: ChainId,
  txHash: Hash,
  blockNumber: Uint64,
  blockHash: Hash,
  amount: Amount,
  transfers: listOf(closed({ logIndex: Count, 'from?': EvmAddress, amount: Amount })),
  status: wordOf('CONFIRMING', 'FINAL', 'LOST'),
  'trust?': Trust,
});
const Transfer = closed({
  chainId: ChainId,
  txHash: Hash,
  logIndex: Count,
  blockNumber: Uint64,
  'from?': EvmAddress,
  amount: Amount,
});

/** A step: the members of every step, and the members of its type. */
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
const AttemptId: Schema = { type: 'string', pattern: '^att_[0-9a-f]{36}$' };
const Submissions = listOf(
  closed({
    txHash: Hash,
    at: Timestamp,
    'sender?': EvmAddress,
    'nonce?': Count,
    'fate?': wordOf('NOT_EXECUTED', 'REPLACED', 'EXPIRED', 'FORGOTTEN', 'FORCED'),
  }),
);
const ExecuteSwap = stepOf('EXECUTE_SWAP', {
  'instructions?': listOf(Instruction),
  'attemptId?': AttemptId,
  attempts: listOf(
    closed({
      attemptId: AttemptId,
      at: Timestamp,
      outcome: wordOf('OPEN', 'SUPERSEDED', 'EXECUTED', 'FAILED', 'LOST'),
      'notAfter?': Timestamp,
      minAmountOut: Amount,
      'txHash?': Hash,
      'failure?': Failure,
      'submissions?': Submissions,
    }),
  ),
  'evidence?': Evidence,
});
const CustodianAction = closed({
  action: wordOf('PAYOUT_BANK', 'PAYOUT_EMONEY', 'TRANSFER_ONCHAIN'),
  custodian: Text,
  'rail?': Text,
  asset: MoneyToken,
  amount: Amount,
  isFinal: Flag,
  target: closed({
    currency: Text,
    conversion: Conversion,
    'amount?': Amount,
    'amountEstimate?': AmountEstimate,
  }),
  beneficiary: Recipient,
  endToEndId: { type: 'string', minLength: 1, maxLength: 35 },
  remittanceInfo: Text,
  'notAfter?': Timestamp,
  'submissions?': Submissions,
  requiredEvidence: { ...listOf(wordOf('providerReference', 'txHash')), minItems: 1 },
});
const CustodianPayout = stepOf('CUSTODIAN_PAYOUT', {
  custodianAction: CustodianAction,
  attempts: listOf(
    closed({
      at: Timestamp,
      outcome: wordOf('FAILED', 'RETURNED'),
      'txHash?': Hash,
      'providerReference?': Text,
      'endToEndId?': Text,
      'beneficiary?': Recipient,
      failure: Failure,
    }),
  ),
  'providerReference?': Text,
  'paidAmount?': Amount,
  'paid?': Money,
  'fee?': Money,
  'rate?': Text,
  'deductions?': listOf(Deduction),
  'occurredAt?': Timestamp,
  'hold?': Hold,
  'evidence?': Evidence,
});
const Version: Schema = { type: 'integer', minimum: 1 };
/** The destination that a recipient chose in a round, and its delivery. */
const submission = {
  'destination?': Recipient,
  'submittedAt?': Timestamp,
  'delivery?': closed({
    'endToEndId?': Text,
    status: wordOf('PENDING', 'SENT', 'DELIVERED', 'FAILED', 'RETURNED'),
    'verification?': wordOf('VERIFIED', 'REPORTED'),
    'providerReference?': Text,
    'paidAmount?': Amount,
    'occurredAt?': Timestamp,
    'failure?': Failure,
    'hold?': Hold,
    'evidence?': Evidence,
  }),
};
const SendDigitalCollect = stepOf('SEND_DIGITAL_COLLECT', {
  collect: closed({
    'link?': closed({
      version: Version,
      state: wordOf('WAITING', 'SENT', 'OPENED', 'SUBMITTED', 'EXPIRED', 'CANCELLED'),
      mail: wordOf('QUEUED', 'ACCEPTED', 'BOUNCED'),
      madeAt: Timestamp,
      expiresAt: Timestamp,
      'openedAt?': Timestamp,
      'requestedAt?': Timestamp,
      resends: { type: 'integer', minimum: 0, maximum: 5 },
    }),
    'destinationType?': wordOf('wallet', 'bank', 'emoney'),
    ...submission,
    rounds: listOf(closed({ version: Version, ...submission })),
  }),
  'custodianAction?': CustodianAction,
  'hold?': Hold,
});

/** The quote of a transfer, which has no route. */
const TransferQuote = closed({
  asOf: closed({ timestamp: Timestamp, blockNumber: Uint64 }),
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
/** Less than 0 where more was spent than came. */
const Balance: Schema = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$' };
const STEP = {
  stepId: Text,
  why: { type: 'string', pattern: '^[A-Z_]+$' },
  detail: Text,
  'deadline?': Timestamp,
};

/** What is to happen next: the members of all, and those of what is to be done. */
const Next = oneOf(
  closed({
    ...STEP,
    do: { const: 'SEND' },
    by: { const: 'PAYER' },
    send: closed({ asset: MoneyToken, amount: Amount, 'to?': EvmAddress }),
  }),
  closed({
    ...STEP,
    do: { const: 'EXECUTE' },
    by: { const: 'INTEGRATOR' },
    'attemptId?': AttemptId,
    'calls?': listOf(Instruction),
  }),
  closed({
    ...STEP,
    do: { const: 'PAY' },
    by: { const: 'CUSTODIAN' },
    'pay?': closed({
      asset: MoneyToken,
      amount: Amount,
      target: closed({ currency: Text, 'amount?': Amount }),
      endToEndId: { type: 'string', minLength: 1, maxLength: 35 },
      beneficiary: Recipient,
      'to?': EvmAddress,
    }),
  }),
  closed({
    ...STEP,
    do: { const: 'DECIDE' },
    by: { const: 'INTEGRATOR' },
    options: { ...listOf(wordOf('reports', 'again', 'refunds', 'end')), minItems: 1 },
  }),
  closed({ ...STEP, do: { const: 'APPROVE' }, by: { const: 'APPROVER' } }),
  closed({ ...STEP, do: { const: 'ASK' }, by: { const: 'RECIPIENT' } }),
  closed({ ...STEP, do: { const: 'WAIT' }, by: wordOf('CUSTODIAN', 'SERVICE', 'CHAIN') }),
);

/** A payment plan with its steps. */
export const PaymentPlan = closed({
  planId: { type: 'string', pattern: '^plan_[0-9a-f]{32}$' },
  clientReference: { type: 'string', minLength: 1, maxLength: 128 },
  corridorId: Text,
  mode: Mode,
  status: wordOf('IN_PROGRESS', 'ACTION_REQUIRED', 'COMPLETED', 'RETURNED', 'ENDED'),
  revision: { type: 'integer', minimum: 1 },
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp,
  amountIn: Amount,
  endToEndId: { type: 'string', minLength: 1, maxLength: 35 },
  'collectRequestId?': { type: 'string', pattern: '^clr_[0-9a-f]{40}$' },
  options: closed({
    mode: Mode,
    'sender?': EvmAddress,
    'depositAddress?': EvmAddress,
    slippageBps: { type: 'integer', minimum: 0, maximum: 5000 },
    'minAmountOut?': Amount,
    'collect?': closed({
      expiresIn: { type: 'string', pattern: '^PT?[1-9][0-9]*[DS]$' },
      'locale?': Text,
      'message?': Text,
      'allowedDestinations?': listOf(wordOf('wallet', 'bank', 'emoney')),
    }),
  }),
  'quote?': oneOf(Quote, TransferQuote),
  'next?': Next,
  money: listOf(closed({ asset: MoneyToken, in: Amount, out: Amount, left: Balance, unexplained: Balance })),
  'did?': wordOf('INSTRUCTIONS', 'TRY', 'RECIPIENT', 'LINK'),
  recipient: Recipient,
  metadata: { type: 'object', additionalProperties: { type: 'string' } },
  returns: listOf(
    closed({
      stepId: Text,
      recordedAt: Timestamp,
      'occurredAt?': Timestamp,
      'providerReference?': Text,
      'amount?': Amount,
      'returned?': Money,
      'failure?': Failure,
    }),
  ),
  'ended?': closed({
    reason: wordOf('EXPIRED', 'CANCELLED', 'REFUNDED', 'SETTLED_ELSEWHERE', 'ABANDONED', 'OTHER'),
    at: Timestamp,
    'note?': Text,
  }),
  'approval?': closed({
    status: wordOf('PENDING', 'APPROVED'),
    version: Count,
    madeBy: Text,
    'approvedBy?': Text,
    'approvedAt?': Timestamp,
  }),
  funds: listOf(
    closed({
      asset: Asset,
      expected: Amount,
      received: Amount,
      swapped: closed({ in: Amount, out: Amount }),
      settled: Amount,
      paidOut: Amount,
      returned: Amount,
      refunded: Amount,
      deducted: Amount,
      outstanding: Amount,
      unallocated: listOf(
        closed({
          'movementId?': Text,
          amount: Amount,
          asset: Asset,
          direction: wordOf('IN', 'OUT'),
          reason: Reason,
          acknowledged: Flag,
        }),
      ),
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
  actor: Text,
  'stepId?': Text,
  data: { type: 'object' },
});
