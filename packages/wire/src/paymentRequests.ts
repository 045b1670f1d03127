import { Type } from 'typebox';
import {
  Amount,
  CLOSE_REASONS,
  COLLECT_LIFE_TEXTS,
  EvmAddress,
  LIMITS,
  LINE_PATTERN,
  REFERENCE_PATTERN,
  MOVEMENT_ID_PATTERN,
  SlippageBps,
  Timestamp,
  TxHash,
  wordOf,
} from './fields.ts';
import { GivenRecipient, PaymentRecipient } from './givenRecipient.ts';
import { HoldReport } from './holds.ts';
import { Money, MoneyToken } from './money.ts';
import { Metadata } from './metadata.ts';
import { Deduction, EXPANSIONS, PaymentMode, PlanStatus } from './payments.ts';
import { pageQuery } from './pages.ts';

/** Body of POST /v1/payments. */
export const PaymentRequest = Type.Object(
  {
    clientReference: Type.String({
      minLength: 1,
      maxLength: LIMITS.clientReferenceLength,
      pattern: REFERENCE_PATTERN,
      description:
        "The caller's stable reference and idempotency key: unique for ever in the organisation, compared character by character. The same body again gives the same plan.",
      examples: ['INV-2026-0042'],
    }),
    corridorId: Type.String({ description: 'The id of a corridor.', examples: ['usdc-aud-bank'] }),
    amountIn: Amount,
    recipient: PaymentRecipient,
    options: Type.Object(
      {
        mode: PaymentMode,
        sender: Type.Optional({ ...EvmAddress, description: 'The wallet that will execute the swap.' }),
        depositAddress: Type.Optional({
          ...EvmAddress,
          description: 'Where the deposit arrives: the service watches it. No other open plan may have it.',
        }),
        addressSignature: Type.Optional(
          Type.String({
            pattern: '^0x([0-9a-fA-F]{2})+$',
            maxLength: 2 + 2 * LIMITS.signatureBytes,
            description:
              'Proves that depositAddress, or else sender, is yours: its signature (EIP-191, or EIP-1271 of a contract) of the text that 409 deposit-address-in-use gives. An open plan of another organisation that only names the address no longer has it.',
          }),
        ),
        slippageBps: Type.Optional(SlippageBps),
        minAmountOut: Type.Optional({
          ...Amount,
          description: 'A price floor: while the fresh quote is below it there are no instructions.',
        }),
        collect: Type.Optional(
          Type.Object(
            {
              expiresIn: Type.Optional(
                Type.String({
                  description: `ISO 8601 duration ${COLLECT_LIFE_TEXTS.range}. Absent: ${COLLECT_LIFE_TEXTS.default}.`,
                  examples: ['P14D'],
                }),
              ),
              locale: Type.Optional(
                Type.String({ description: 'Language of the e-mail.', examples: ['en'] }),
              ),
              message: Type.Optional(
                Type.String({
                  minLength: 1,
                  maxLength: LIMITS.collectMessageLength,
                  pattern: LINE_PATTERN,
                  description: 'Shown to the recipient.',
                }),
              ),
              allowedDestinations: Type.Optional(
                Type.Array(wordOf(['wallet', 'bank', 'emoney'], { description: 'A kind of destination.' }), {
                  minItems: 1,
                  uniqueItems: true,
                  description: 'What the recipient may choose. Absent: all that the corridor allows.',
                }),
              ),
            },
            { additionalProperties: false, description: 'With DIGITAL_COLLECT only.' },
          ),
        ),
      },
      { additionalProperties: false },
    ),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false, description: 'Asks for a payment plan. Nothing is executed.' },
);

/** Why a payout failed. */
export const PAYOUT_FAILURES = [
  'ACCOUNT_NOT_FOUND',
  'ACCOUNT_CLOSED',
  'NAME_MISMATCH',
  'COMPLIANCE_REFUSED',
  'RAIL_UNAVAILABLE',
  'INSUFFICIENT_FUNDS',
  'OTHER',
] as const;

/** Why a step failed. */
export const STEP_FAILURES = ['REVERTED', 'INSTRUCTIONS_EXPIRED', ...PAYOUT_FAILURES] as const;

const PaidAmount = {
  ...Amount,
  description:
    'What was paid out, in units of custodianAction.asset, not of the currency. "0" goes with corrects alone: nothing of this plan was paid by that payment.',
};

/** What a report of a payment to an account tells of its amounts, beside `amount`: of a payout or of a delivery. */
const PAYOUT_AMOUNTS = {
  returned: Type.Optional({
    ...Money,
    description:
      'With RETURNED, of a payment to an account: what came back, in the currency of the corridor. Where the custodian converts, amount alone does not say so.',
  }),
  paid: Type.Optional({
    ...Money,
    description:
      'What the beneficiary was paid: in the currency of the corridor, or in the token. Where the custodian converts, it settles all that is due, unless amount says less. With the fee or without it, it has to fit the rate.',
  }),
  fee: Type.Optional({ ...Money, description: 'What the custodian charged for it. Information.' }),
  rate: Type.Optional(
    Type.String({
      pattern: '^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$',
      description:
        'Units of the currency for a unit of the token. Where the custodian converts, paid has to fit it.',
      examples: ['56.5'],
    }),
  ),
  deductions: Type.Optional(
    Type.Array(Deduction, {
      maxItems: LIMITS.deductions,
      description: 'What was kept back, so that less than is due was paid.',
    }),
  ),
  corrects: Type.Optional(
    Type.String({
      pattern: MOVEMENT_ID_PATTERN,
      description:
        'The movementId of a payment that was told wrongly: it is taken back, and this one recorded. With the amount "0" it is only taken back: it was of something else.',
    }),
  ),
};

const LogIndex = Type.Integer({
  ...LIMITS.logIndex,
  description:
    'With txHash, for a payout to a wallet or a deposit to options.sender: which transfer of the transaction is meant, by the index of its log in the block. Absent: the one that is recorded already, else the one of exactly the amount that is due; else, of a payout, the largest below it, and of a deposit all of them, where they are no more.',
});

const FailureDetail = Type.String({
  minLength: 1,
  maxLength: LIMITS.failureDetailLength,
  pattern: LINE_PATTERN,
  description: 'A sentence. Stored in clear: no personal data.',
});

/** The outcomes that a report on a step can have. A step takes those of its kind. */
export const REPORT_OUTCOMES = ['SUBMITTED', 'DONE', 'SENT', 'FAILED', 'RETURNED', 'HELD'] as const;

/** Body of POST /v1/payments/{planId}/steps/{stepId}/reports. */
export const StepReport = Type.Object(
  {
    outcome: wordOf(REPORT_OUTCOMES, {
      description:
        'SUBMITTED: a transaction that executes the instructions is signed and may be sent; with attemptId and txHash. SENT: the custodian has sent what the recipient chose, and it has not arrived. RETURNED: a payment that was DONE, or a part of one, came back. HELD: the custodian holds a payment back that is due; with hold. FAILED, of SEND_DIGITAL_COLLECT: the recipient is asked again.',
    }),
    attemptId: Type.Optional(
      Type.String({ description: 'With SUBMITTED: the attempt whose instructions it executes.' }),
    ),
    sender: Type.Optional({
      ...EvmAddress,
      description:
        'With SUBMITTED, beside nonce: the account that signed. With both, a transaction that replaces it is found.',
    }),
    nonce: Type.Optional(
      Type.Integer({ ...LIMITS.nonce, description: 'With SUBMITTED, beside sender: its nonce.' }),
    ),
    txHash: Type.Optional({
      ...TxHash,
      description: 'Checked on the chain; a claim it does not bear out is a 409.',
    }),
    logIndex: Type.Optional(LogIndex),
    providerReference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.providerReferenceLength,
        pattern: REFERENCE_PATTERN,
        description:
          "The custodian's reference; required for DONE where custodianAction.requiredEvidence says so.",
      }),
    ),
    amount: Type.Optional(PaidAmount),
    ...PAYOUT_AMOUNTS,
    occurredAt: Type.Optional(Timestamp),
    hold: Type.Optional(HoldReport),
    failure: Type.Optional(
      Type.Object(
        {
          code: wordOf(STEP_FAILURES, {
            description:
              'Why. REVERTED and INSTRUCTIONS_EXPIRED are of EXECUTE_SWAP, the others of payments.',
          }),
          detail: Type.Optional(FailureDetail),
        },
        { additionalProperties: false },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'What became of a step. The same report again changes nothing.',
  },
);

/** Body of POST /v1/payments/{planId}/again. */
export const AgainRequest = Type.Object(
  {
    recipient: Type.Optional(PaymentRecipient),
    slippageBps: Type.Optional({
      ...SlippageBps,
      description:
        'For instructions alone: another one than theirs replaces those that were given out, and both can be executed. Absent: options.slippageBps of the plan, for fresh ones.',
    }),
    force: Type.Optional(
      Type.Boolean({
        description:
          'true: you know that no submitted transaction will be mined any more, and that no transaction which the nodes cannot trace executed the instructions. Without it such a transaction is a 409 execution-in-flight.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Asks for what fits the state of the plan, once more.' },
);

/** Body of POST /v1/payments/{planId}/refunds. */
export const RefundReport = Type.Object(
  {
    amount: Amount,
    asset: { ...MoneyToken, description: 'The token that went back.' },
    txHash: Type.Optional({
      ...TxHash,
      description:
        'Checked on the chain. VERIFIED where the transfer comes from an account of the plan and goes to an account that the deposit came from, else REPORTED.',
    }),
    logIndex: Type.Optional(
      Type.Integer({
        ...LIMITS.logIndex,
        description: 'With txHash: which transfer of the transaction is meant.',
      }),
    ),
    providerReference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.providerReferenceLength,
        pattern: REFERENCE_PATTERN,
        description:
          "Your or the custodian's reference, and no hash of a transaction: that is txHash. Required without txHash; left out beside it for native currency.",
      }),
    ),
    occurredAt: Type.Optional(Timestamp),
    force: Type.Optional(
      Type.Boolean({
        description:
          'true: also money that was left when the plan ended as SETTLED_ELSEWHERE, because it went back after all.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Money that went back to the payer. The same reference or transfer again changes nothing.',
  },
);

/** Body of POST /v1/payments/{planId}/end. */
export const EndRequest = Type.Object(
  {
    reason: Type.Optional(
      wordOf(CLOSE_REASONS, {
        description: 'Why the plan ends; required once money has moved. Absent: it is CANCELLED.',
      }),
    ),
    note: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.closeNoteLength,
        pattern: LINE_PATTERN,
        description: 'A sentence. Stored in clear: no personal data.',
      }),
    ),
    force: Type.Optional(
      Type.Boolean({
        description:
          'true: also while a transaction or a payment is under way. A transaction that is mined later is unexplained.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Ends a plan for good.' },
);

/** What an answer with plans shows beside the plans themselves. */
const Expand = Type.String({
  pattern: `^(${EXPANSIONS.join('|')})(,(${EXPANSIONS.join('|')}))*$`,
  description: `What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds.`,
  examples: ['executions,custody'],
});

/** Query of whatever answers one plan. */
export const PlanQuery = Type.Object({ expand: Type.Optional(Expand) }, { additionalProperties: false });

/** Query of GET /v1/payments. */
export const PaymentsQuery = Type.Object(
  {
    status: Type.Optional(PlanStatus),
    mode: Type.Optional(PaymentMode),
    corridorId: Type.Optional(Type.String()),
    clientReference: Type.Optional(Type.String()),
    recipientId: Type.Optional(
      Type.String({ description: 'Plans that pay this registered recipient, in any of its versions.' }),
    ),
    approval: Type.Optional(
      wordOf(['PENDING'], { description: 'Plans that wait for the approval of a second person.' }),
    ),
    createdFrom: Type.Optional({ ...Timestamp, description: 'Plans made at this time or later.' }),
    createdTo: Type.Optional({ ...Timestamp, description: 'Plans made before this time.' }),
    updatedSince: Type.Optional({
      ...Timestamp,
      description:
        'Plans that have changed at this time or later, the one first that has not changed for longest. Not together with other filters. GET /v1/events tells every change.',
    }),
    expand: Type.Optional(Expand),
    ...pageQuery('plans'),
  },
  { additionalProperties: false },
);

/** Query of GET /v1/payments/{planId}/events. */
export const EventsQuery = Type.Object(
  {
    ...pageQuery('events'),
  },
  { additionalProperties: false },
);

/** Query of GET /v1/payments/{planId}/movements. */
export const MovementsQuery = Type.Object(
  {
    ...pageQuery('movements'),
  },
  { additionalProperties: false },
);

/** Path parameters of a plan. */
export const PlanPath = Type.Object({ planId: Type.String({ description: 'A planId.' }) });
/** Path parameters of a step. */
export const StepPath = Type.Object({
  planId: Type.String({ description: 'A planId.' }),
  stepId: Type.String({ description: 'A stepId of the plan.' }),
});

/** What the sandbox can make happen to a step. */
export const SIMULATED_EVENTS = [
  'deposit.exact',
  'deposit.partial',
  'deposit.over',
  'deposit.late',
  'deposit.dust',
  'deposit.otherToken',
  'swap.done',
  'swap.reverted',
  'swap.again',
  'payout.done',
  'payout.deducted',
  'payout.short',
  'payout.failed',
  'payout.returned',
  'payout.held',
  'delivery.held',
  'collect.opened',
  'collect.submitted',
  'collect.expired',
] as const;

/** Body of POST /v1/sandbox/payments/{planId}/steps/{stepId}/simulate. */
export const SimulateRequest = Type.Object(
  {
    event: wordOf(SIMULATED_EVENTS, {
      description:
        'What to make happen; deposits and swaps by real transactions on the sandbox chain. collect: the recipient opens the link, submits destination (with collect.submitted alone) and enters the code, or lets the link expire.',
    }),
    destination: Type.Optional(GivenRecipient),
  },
  { additionalProperties: false },
);
/** An event that the sandbox can make happen. */
export type SimulatedEvent = (typeof SIMULATED_EVENTS)[number];
