import { Type } from 'typebox';
import { Amount, EvmAddress, Timestamp, wordOf } from './fields.ts';
import { MoneyToken } from './money.ts';
import { RecipientView } from './recipients.ts';
import { Instruction } from './swap.ts';

/** What is to be done next. */
export const NEXT_DOS = ['SEND', 'EXECUTE', 'PAY', 'DECIDE', 'APPROVE', 'ASK', 'WAIT'] as const;
/** Who is to do it. */
export const NEXT_BYS = [
  'INTEGRATOR',
  'PAYER',
  'CUSTODIAN',
  'RECIPIENT',
  'APPROVER',
  'SERVICE',
  'CHAIN',
] as const;
/** The calls that a DECIDE can name: the last part of their paths. */
export const NEXT_OPTIONS = ['reports', 'again', 'refunds', 'end'] as const;

/** When each reason holds. `NextWhy` of the plan has the same words: the compiler compares them. */
export const NEXT_WHYS = {
  NOT_APPROVED: 'another credential has to approve the payment',
  DEPOSIT_MISSING: 'nothing of the deposit has come',
  DEPOSIT_PARTIAL: 'a part of the deposit has come',
  DEPOSIT_CONFIRMING: 'the deposit is there and has too few confirmations',
  DEPOSIT_LOST:
    'a reorganisation took the deposit back, and it may be mined again: send nothing before deadline',
  ADDRESS_LOST: 'another organisation has proven that the deposit address is its own',
  OLDER_MONEY:
    'a backup was put back, and the deposit address held money before this plan: compare before anybody sends',
  INSTRUCTIONS_DUE: 'the swap is due and has no instructions yet',
  PRICE_BELOW_FLOOR: 'the market gives less than options.minAmountOut',
  SWAP_DUE: 'the swap has instructions',
  INSTRUCTIONS_EXPIRED: 'nobody executed the instructions in time',
  TRANSACTION_PENDING: 'a submitted transaction may still be mined',
  TRANSACTION_CONFIRMING: 'a transaction has too few confirmations',
  TRANSACTION_LOST: 'the chain no longer has a transaction of the plan',
  PAYOUT_DUE: 'the custodian is to pay the recipient',
  PAYOUT_HELD: 'the custodian holds the payment back',
  PAYMENT_SENT: 'the custodian has sent the money, and it has not arrived',
  PAYMENT_UNCLEAR: 'what was paid does not account for all that is due',
  SEND_LINK: 'the recipient is to be e-mailed a link, and no mail server has taken the e-mail yet',
  RECIPIENT_CHOOSES: 'the recipient has a link and is to choose',
  LINK_FAILED: 'the e-mail with the link came back, or the recipient asks for another',
  LINK_ENDED: 'the link ended before the recipient chose',
  LINKS_USED_UP: 'the recipient cannot be asked once more',
  STEP_FAILED: 'a step failed',
  ACCOUNT_REFUSED: 'the account cannot be paid',
  MONEY_RETURNED: 'a payment came back',
  REFUND_LOST:
    'a reorganisation took a refund back, and it may be mined again: move none of the money before deadline',
  DEPOSIT_UNCLEAR:
    'money came to the deposit address that may be the very money which the plan has or had at the custodian',
  MONEY_UNEXPLAINED: 'money is where the plan has no use for it',
  NOTHING_LEFT: 'nothing is left to do but to end the plan',
  CATCHING_UP: 'the service has missed blocks of the chain: move no money',
} as const;

/** Why something is to happen next. */
export type NextWhy = keyof typeof NEXT_WHYS;

/** What all reasons mean, in sentences. */
function meanings(): string {
  return Object.entries(NEXT_WHYS)
    .map(([word, when]) => `${word}: ${when}.`)
    .join(' ');
}

const Send = Type.Object(
  {
    asset: MoneyToken,
    amount: { ...Amount, description: 'What is missing of the deposit.' },
    to: Type.Optional({
      ...EvmAddress,
      description: 'Absent where the plan names no account: the account that will execute the swap.',
    }),
  },
  { description: 'What the payer is to send.' },
);

const Pay = Type.Object(
  {
    asset: MoneyToken,
    amount: { ...Amount, description: 'What the custodian is to pay now, of the asset that it holds.' },
    target: Type.Object(
      {
        currency: Type.String({
          description: 'What the beneficiary is paid in: for a wallet the symbol of the asset.',
        }),
        amount: Type.Optional({
          ...Amount,
          description: 'In minor units of the currency, where the token is pegged to it.',
        }),
      },
      { description: 'What the beneficiary gets. A wallet gets the asset itself.' },
    ),
    endToEndId: Type.String({ maxLength: 35, description: 'Ours and unique; give it to the bank.' }),
    beneficiary: RecipientView,
    to: Type.Optional({ ...EvmAddress, description: 'The wallet to pay, on the chain of the asset.' }),
  },
  { description: 'What the custodian is to pay. Beside DECIDE: the rest, where a wallet was paid a part.' },
);

/** What is to happen next. */
export const Next = Type.Object(
  {
    do: wordOf(NEXT_DOS, {
      description:
        'SEND, EXECUTE and PAY: what send, calls and pay say. DECIDE: one of the calls in options answers it. ASK: the recipient chooses. WAIT: look again later; a call in options is for what will not end by itself, as detail says.',
    }),
    by: wordOf(NEXT_BYS, { description: 'Who is to do it.' }),
    why: wordOf(Object.keys(NEXT_WHYS) as NextWhy[], {
      description: `Why. More words may come. ${meanings()}`,
    }),
    detail: Type.String({ description: 'The same as a sentence.' }),
    stepId: Type.String({ description: 'The step that it is about.' }),
    deadline: Type.Optional({ ...Timestamp, description: 'Until when; what happens then, detail says.' }),
    send: Type.Optional(Send),
    attemptId: Type.Optional(Type.String({ description: 'With calls: what a report SUBMITTED names.' })),
    calls: Type.Optional(
      Type.Array(Instruction, { description: 'To execute in order: the instructions of the step.' }),
    ),
    pay: Type.Optional(Pay),
    options: Type.Optional(
      Type.Array(wordOf(NEXT_OPTIONS, { description: 'The last part of the path of a call.' }), {
        description: 'With DECIDE, and with WAIT where it may not end by itself.',
      }),
    ),
  },
  {
    description:
      'What is to happen next, and who is to do it. Absent when nothing is. send, calls and pay are there only while they are to be done: whoever does each thing once, and nothing more before next has changed, never pays twice.',
  },
);

const UNITS = "In the asset's smallest units; less than 0 where more was spent than came.";

/** Where the money of one token is. */
export const PlanMoney = Type.Object(
  {
    asset: MoneyToken,
    in: { ...Amount, description: 'What came: deposits, what the swap brought, and what came back.' },
    out: { ...Amount, description: 'What went: swapped, paid out, refunded or deducted.' },
    left: Type.String({ pattern: '^-?(0|[1-9][0-9]*)$', description: `in - out. ${UNITS}` }),
    unexplained: Type.String({
      pattern: '^-?(0|[1-9][0-9]*)$',
      description:
        'The part of left that the plan has no use for, and that was not there when somebody ended the plan. Money that came and money that was spent are set off: 0 can be both, and next.why is MONEY_UNEXPLAINED then.',
    }),
  },
  { description: 'Where the money of one token is. …/movements has the lines, with their reasons.' },
);
