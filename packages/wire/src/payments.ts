import { type Static, Type } from 'typebox';
import {
  Amount,
  BlockHash,
  BlockNumber,
  ChainId,
  CLOSE_REASONS,
  EvmAddress,
  LIMITS,
  LINE_PATTERN,
  AppliedSlippageBps,
  Timestamp,
  Trust,
  TxHash,
  Verification,
  wordOf,
} from './fields.ts';
import { Hold } from './holds.ts';
import { Conversion, PAYMENT_MODES } from './markets.ts';
import { Asset, AssetFunds, Money, MoneyToken } from './money.ts';
import { Quote } from './quote.ts';
import { Metadata } from './metadata.ts';
import { Next, PlanMoney } from './next.ts';
import { PaymentApproval } from './paymentApproval.ts';
import { RecipientView } from './recipients.ts';
import { Instruction } from './swap.ts';
import { pageOf } from './pages.ts';

/** How the money reaches the recipient. */
export const PaymentMode = wordOf(PAYMENT_MODES, {
  description:
    'STANDARD: to the recipient that the request names. DIGITAL_COLLECT: the recipient is e-mailed a link and chooses.',
});
export type PaymentMode = Static<typeof PaymentMode>;

const STEP_TYPES = ['AWAIT_DEPOSIT', 'EXECUTE_SWAP', 'CUSTODIAN_PAYOUT', 'SEND_DIGITAL_COLLECT'] as const;
const STEP_STATUSES = ['PENDING', 'READY', 'DONE', 'FAILED'] as const;

/** The statuses a plan as a whole can have. */
export const PLAN_STATUSES = ['IN_PROGRESS', 'ACTION_REQUIRED', 'COMPLETED', 'RETURNED', 'ENDED'] as const;

/** The status of a plan as a whole. */
export const PlanStatus = wordOf(PLAN_STATUSES, {
  description:
    'IN_PROGRESS: it goes on by itself. ACTION_REQUIRED: somebody has to act, as next says. RETURNED: the payment came back. ENDED: as ended says.',
});
export type PlanStatus = Static<typeof PlanStatus>;

/** Why something failed. */
export const Failure = Type.Object(
  {
    code: Type.String({ description: 'Why it failed, as a word.', examples: ['REVERTED'] }),
    detail: Type.Optional(Type.String({ description: 'The same as a sentence.' })),
  },
  { description: 'Why a step failed.' },
);

/** A transfer of a transaction that counts. */
const TransferView = Type.Object(
  {
    logIndex: Type.Integer({ minimum: 0, description: 'The index of its log in the block.' }),
    from: Type.Optional({ ...EvmAddress, description: 'Who sent it. Absent where it was not recorded.' }),
    amount: Amount,
  },
  { description: 'A transfer that counts.' },
);

/** A transaction that completes a step. */
export const Evidence = Type.Object(
  {
    chainId: ChainId,
    txHash: TxHash,
    blockNumber: BlockNumber,
    blockHash: BlockHash,
    amount: Type.String({ description: 'What arrived, in smallest units.' }),
    transfers: Type.Array(TransferView, { description: 'The transfers that bring it.' }),
    status: wordOf(['CONFIRMING', 'FINAL', 'LOST'], {
      description:
        "CONFIRMING: fewer confirmations than the corridor's minConfirmations. LOST: a reorganisation took it back after a later step was done.",
    }),
    trust: Type.Optional(Trust),
  },
  { description: 'A transaction that completes the step, as read on the chain.' },
);

/** The amounts and transfers of a deposit so far. */
export const Deposit = Type.Object(
  {
    expected: Amount,
    received: Amount,
    confirmed: Type.String({ description: 'What has the confirmations of it, in smallest units.' }),
    outcome: Type.Optional(
      wordOf(['PARTIAL', 'EXACT', 'OVER', 'LATE'], {
        description:
          'Against what was expected. OVER: the planned amount is swapped and the rest is left. LATE: it came after the plan had ended, which it does not change.',
      }),
    ),
    transfers: Type.Array(
      Type.Object({
        chainId: ChainId,
        txHash: TxHash,
        logIndex: Type.Integer({ minimum: 0 }),
        blockNumber: BlockNumber,
        from: Type.Optional({ ...EvmAddress, description: 'Who sent it. Absent where it was not recorded.' }),
        amount: Amount,
      }),
      { description: 'Every transfer that counts.' },
    ),
  },
  { description: 'What has arrived of the deposit.' },
);

/** A transaction that was reported before it was mined. */
const SubmissionView = Type.Object(
  {
    txHash: TxHash,
    sender: Type.Optional(EvmAddress),
    nonce: Type.Optional(Type.Integer({ minimum: 0 })),
    at: Timestamp,
    fate: Type.Optional(
      wordOf(['NOT_EXECUTED', 'REPLACED', 'EXPIRED', 'FORGOTTEN', 'FORCED'], {
        description:
          'Why it can execute nothing any more; absent while it may, and once it has. NOT_EXECUTED: it is final and executed nothing. REPLACED: another one with its nonce is final. EXPIRED: the chain is past the deadline. FORGOTTEN: nothing was seen of it for a day. FORCED: you said so.',
      }),
    ),
  },
  { description: 'A transaction that is signed and may be sent.' },
);

/** One set of instructions that was given out, or one payout that was tried. */
export const Attempt = Type.Object(
  {
    attemptId: Type.Optional(
      Type.String({ description: 'For instructions: the id that a report SUBMITTED names.' }),
    ),
    at: Timestamp,
    outcome: wordOf(['OPEN', 'SUPERSEDED', 'EXECUTED', 'FAILED', 'LOST', 'RETURNED'], {
      description:
        'What became of it. LOST: a reorganisation took its transaction back. RETURNED: it was paid, and the money came back.',
    }),
    notAfter: Type.Optional(Timestamp),
    minAmountOut: Type.Optional(Amount),
    txHash: Type.Optional(TxHash),
    providerReference: Type.Optional(Type.String()),
    failure: Type.Optional(Failure),
    endToEndId: Type.Optional(Type.String({ description: 'For a payout: the id that it had.' })),
    movementIds: Type.Optional(
      Type.Array(Type.String(), { description: 'RETURNED: the movements of all its payments.' }),
    ),
    beneficiary: Type.Optional(RecipientView),
    submissions: Type.Optional(Type.Array(SubmissionView, { description: 'Oldest first.' })),
  },
  { description: 'One set of instructions that was given out, or one payout that was tried.' },
);

/** What a payout may come to in the currency that the custodian converts it to. */
export const AmountEstimate = Type.Object(
  {
    amount: {
      ...Amount,
      description: 'In minor units of the currency (ISO 4217), rounded down: 1412500 of PHP are 14,125.00.',
    },
    asset: Type.Object({ currency: Type.String({ description: 'ISO 4217.', examples: ['PHP'] }) }),
    rate: Type.String({
      description: 'Units of the currency for a unit of the token, as the source writes it.',
      examples: ['56.5'],
    }),
    asOf: { ...Timestamp, description: 'When the rate was read.' },
    source: Type.String({
      description: "The origin of the operator's rate source.",
      examples: ['https://rates.example'],
    }),
  },
  {
    description:
      "An estimate: what the payout may come to at the rate of the operator's source. The custodian converts at a rate of its own. Present only where the conversion is CUSTODIAN, a rate of the configured age is known, and the payout is neither sent nor made.",
  },
);

/** What the custodian is to do. */
export const CustodianAction = Type.Object(
  {
    action: wordOf(['PAYOUT_BANK', 'PAYOUT_EMONEY', 'TRANSFER_ONCHAIN'], {
      description: 'The kind of payout.',
    }),
    custodian: Type.Optional(Type.String()),
    rail: Type.Optional(Type.String()),
    asset: MoneyToken,
    amount: { ...Amount, description: 'What the custodian holds for this payout.' },
    isFinal: Type.Optional(
      Type.Boolean({ description: 'false: the amount is estimated until the swap is done.' }),
    ),
    target: Type.Optional(
      Type.Object(
        {
          currency: Type.String(),
          conversion: Type.Optional(Conversion),
          amount: Type.Optional({
            ...Amount,
            description:
              'In minor units of the currency, where the token is pegged to it and the amount is final.',
          }),
          amountEstimate: Type.Optional(AmountEstimate),
        },
        { description: 'What the beneficiary is paid in. TRANSFER_ONCHAIN pays the asset itself.' },
      ),
    ),
    beneficiary: RecipientView,
    endToEndId: Type.String({
      maxLength: 35,
      description: 'Ours and unique, for each part of a payment, too; give it to the bank.',
    }),
    remittanceInfo: Type.Optional(Type.String({ maxLength: 140 })),
    notAfter: Type.Optional({ ...Timestamp, description: 'When the payout is late; set once it is due.' }),
    submissions: Type.Optional(
      Type.Array(SubmissionView, {
        description: 'Transactions to the wallet that were reported before they were mined, oldest first.',
      }),
    ),
    requiredEvidence: Type.Optional(
      Type.Array(wordOf(['providerReference', 'txHash'], { description: 'What a report needs.' })),
    ),
  },
  {
    description:
      'The off-chain coordination envelope of a payout. Whether and how much is to be paid now, next says. With expand=custody also the custodian, rail, currency, conversion, estimate, remittance text, deadline and evidence.',
  },
);
export type CustodianAction = Static<typeof CustodianAction>;

/** How a chosen destination is paid. */
export const CollectDelivery = Type.Object(
  {
    endToEndId: Type.Optional(
      Type.String({
        description:
          'The id of this payment, where it is not the first one of the plan: each account that is paid has its own.',
      }),
    ),
    status: wordOf(['PENDING', 'SENT', 'DELIVERED', 'FAILED', 'RETURNED'], {
      description: 'PENDING until the first report. The plan is COMPLETED when it is DELIVERED.',
    }),
    verification: Type.Optional(Verification),
    providerReference: Type.Optional(Type.String()),
    paidAmount: Type.Optional(
      Type.String({ description: 'What was paid out, in units of custodianAction.asset.' }),
    ),
    occurredAt: Type.Optional(Timestamp),
    failure: Type.Optional(Failure),
    hold: Type.Optional(Hold),
    evidence: Type.Optional(Evidence),
  },
  { description: 'How the destination that the recipient chose is paid.' },
);

/** A link to the collect page, without its token. */
export const CollectLinkView = Type.Object(
  {
    version: Type.Integer({ minimum: 1, description: 'Rises with every link; only the newest works.' }),
    state: wordOf(['WAITING', 'SENT', 'OPENED', 'SUBMITTED', 'EXPIRED', 'CANCELLED'], {
      description: 'WAITING: the e-mail has not been accepted by the mail server yet.',
    }),
    mail: wordOf(['QUEUED', 'ACCEPTED', 'BOUNCED'], {
      description: 'The e-mail. QUEUED: it is sent, or sent again after a fault of the mail server.',
    }),
    madeAt: Timestamp,
    expiresAt: Timestamp,
    openedAt: Type.Optional(Timestamp),
    requestedAt: Type.Optional({
      ...Timestamp,
      description:
        'When the recipient asked for a new link last, because one had ended. It is noted once a day.',
    }),
    resends: Type.Integer({ minimum: 0, description: 'How often it was sent again; five times at most.' }),
  },
  { description: 'The link that the recipient was e-mailed.' },
);

/** The state of a collect step. */
export const Collect = Type.Object(
  {
    link: Type.Optional(CollectLinkView),
    destinationType: Type.Optional(
      wordOf(['bank', 'wallet', 'emoney'], { description: 'What the recipient chose.' }),
    ),
    destination: Type.Optional(RecipientView),
    submittedAt: Type.Optional(Timestamp),
    delivery: Type.Optional(CollectDelivery),
    rounds: Type.Array(
      Type.Object({
        version: Type.Integer(),
        destination: Type.Optional(RecipientView),
        submittedAt: Type.Optional(Timestamp),
        delivery: Type.Optional(CollectDelivery),
      }),
      { description: 'Rounds that ended without the money arriving, oldest first.' },
    ),
  },
  { description: 'SEND_DIGITAL_COLLECT: the link, what the recipient chose, and how it is delivered.' },
);

/** What was kept back from a payment. */
export const Deduction = Type.Object(
  {
    amount: Amount,
    asset: Asset,
    reason: Type.String({
      minLength: 1,
      maxLength: LIMITS.failureDetailLength,
      pattern: LINE_PATTERN,
      description: 'Why, in words. Stored in clear: no personal data.',
      examples: ['wire fee'],
    }),
  },
  { description: 'What was kept back from a payment: in the token, or in a currency that it is pegged to.' },
);

/** A step of a payment plan. */
export const PaymentStep = Type.Object(
  {
    stepId: Type.String({ description: 'Stable identifier for reconciliation.' }),
    type: wordOf(STEP_TYPES, { description: 'The kind of step.' }),
    status: wordOf(STEP_STATUSES, { description: 'Where it stands; PENDING at first.' }),
    verification: Type.Optional(Verification),
    failure: Type.Optional(Failure),
    instructions: Type.Optional(
      Type.Array(Instruction, {
        description:
          'EXECUTE_SWAP: calls to execute in order, the last one is the swap. Empty while the price is below options.minAmountOut, and once the deposit went back. next has them while they are to be executed.',
      }),
    ),
    attemptId: Type.Optional(
      Type.String({
        description:
          'With expand=executions, EXECUTE_SWAP: the attempt whose instructions are shown. next has it while they are to be executed.',
      }),
    ),
    custodianAction: Type.Optional(CustodianAction),
    deposit: Type.Optional(Deposit),
    evidence: Type.Optional(Evidence),
    attempts: Type.Optional(Type.Array(Attempt, { description: 'Oldest first.' })),
    providerReference: Type.Optional(
      Type.String({ description: "The custodian's reference of the payout." }),
    ),
    paidAmount: Type.Optional(
      Type.String({ description: 'What was paid out, in units of custodianAction.asset.' }),
    ),
    paid: Type.Optional({ ...Money, description: 'What the beneficiary was paid last, as it was reported.' }),
    fee: Type.Optional(Money),
    rate: Type.Optional(Type.String({ description: 'Units of the currency for a unit of the token.' })),
    deductions: Type.Optional(
      Type.Array(Deduction, { description: 'What was kept back from the payments, in the token.' }),
    ),
    occurredAt: Type.Optional(Timestamp),
    hold: Type.Optional(Hold),
    collect: Type.Optional(Collect),
  },
  {
    description:
      'A step of a payment plan. With expand=executions also how it was executed and paid, with expand=rounds how the recipient was asked.',
  },
);
export type PaymentStep = Static<typeof PaymentStep>;

/** Money that came back. */
export const PaymentReturn = Type.Object(
  {
    stepId: Type.String(),
    recordedAt: Timestamp,
    occurredAt: Type.Optional(Timestamp),
    providerReference: Type.Optional(Type.String()),
    amount: Type.Optional({
      ...Amount,
      description:
        'In units of custodianAction.asset: as it was reported, else all that was left of the payment.',
    }),
    returned: Type.Optional({ ...Money, description: 'What came back in the currency, as it was reported.' }),
    failure: Type.Optional(Failure),
  },
  { description: 'Money that came back after it was paid out.' },
);

/** The options of a plan, with their defaults. */
export const PlanOptions = Type.Object(
  {
    mode: PaymentMode,
    sender: Type.Optional({ ...EvmAddress, description: 'The wallet that will execute the swap.' }),
    depositAddress: Type.Optional({ ...EvmAddress, description: 'The address that the service watches.' }),
    slippageBps: AppliedSlippageBps,
    minAmountOut: Type.Optional({ ...Amount, description: 'The price floor.' }),
    collect: Type.Optional(
      Type.Object(
        {
          expiresIn: Type.String({
            description: 'How long a link lives, as an ISO 8601 duration.',
            examples: ['P14D'],
          }),
          locale: Type.Optional(Type.String()),
          message: Type.Optional(Type.String({ description: 'Shown to the recipient.' })),
          allowedDestinations: Type.Optional(Type.Array(Type.String())),
        },
        { description: 'With DIGITAL_COLLECT only.' },
      ),
    ),
  },
  {
    description: 'With expand=executions: the choices of the request, with the defaults of what it left out.',
  },
);

/** How a plan ended. */
const PlanEnd = Type.Object(
  {
    reason: wordOf(['EXPIRED', 'CANCELLED', ...CLOSE_REASONS], {
      description:
        'EXPIRED: no money came in time. CANCELLED: it was ended before money moved. Else as POST …/end said.',
    }),
    at: Timestamp,
    note: Type.Optional(Type.String()),
  },
  { description: 'How the plan ended.' },
);

/** What `expand` can ask for. */
export const EXPANSIONS = ['executions', 'rounds', 'custody'] as const;
/** A part of a plan that an answer shows where it is asked for. */
export type Expansion = (typeof EXPANSIONS)[number];

/** A payment plan. */
export const PaymentPlan = Type.Object(
  {
    planId: Type.String({ description: 'Unique plan identifier.' }),
    clientReference: Type.String(),
    corridorId: Type.String(),
    mode: PaymentMode,
    status: PlanStatus,
    next: Type.Optional(Next),
    money: Type.Array(PlanMoney, {
      description: 'Where its money is: the deposit token first, then the payout token, then other tokens.',
    }),
    amountIn: Amount,
    quote: Type.Optional({
      ...Quote,
      description:
        'The newest quote that instructions were made from. fees and route come with expand=executions.',
    }),
    recipient: RecipientView,
    recipientId: Type.Optional(
      Type.String({ description: 'The registered recipient that the recipient was taken from.' }),
    ),
    recipientVersion: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The version that it was taken from.' }),
    ),
    revision: Type.Integer({ minimum: 1, description: 'Rises with every change.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: { ...Timestamp, description: 'When the plan ends if no money has moved by then.' },
    endToEndId: Type.String({ maxLength: 35, description: 'The id of the newest payment to the recipient.' }),
    collectRequestId: Type.Optional(
      Type.String({
        description: 'The newest collect request: GET /v1/collect_requests/{collectRequestId}.',
      }),
    ),
    ended: Type.Optional(PlanEnd),
    approval: Type.Optional(PaymentApproval),
    did: Type.Optional(
      wordOf(['INSTRUCTIONS', 'TRY', 'RECIPIENT', 'LINK'], {
        description:
          'Only in the answer of …/again: what it did. INSTRUCTIONS: those to execute now. TRY: another try of a step. RECIPIENT: another account. LINK: another link.',
      }),
    ),
    metadata: Metadata,
    funds: Type.Optional(
      Type.Array(AssetFunds, { description: 'With expand=custody: what makes up money, by asset.' }),
    ),
    options: Type.Optional(PlanOptions),
    returns: Type.Optional(Type.Array(PaymentReturn, { description: 'With expand=executions.' })),
    steps: Type.Array(PaymentStep, { description: 'In order.' }),
  },
  { description: 'A plan from an on-chain deposit to the recipient. The service executes nothing of it.' },
);
export type PaymentPlan = Static<typeof PaymentPlan>;

/** Response of GET /v1/payments. */
export const PaymentList = pageOf(PaymentPlan, 'Newest first.', 'A page of plans.');
export type PaymentList = Static<typeof PaymentList>;
