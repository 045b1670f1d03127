/** Who is to act next. */
export const ACTORS = ['INTEGRATOR', 'RECIPIENT', 'SERVICE'] as const;

/** A word for what is to happen next, and who is to act. `NextActionCode` of the plan has the same words: the compiler compares them. */
type Meaning = { readonly actor: (typeof ACTORS)[number]; readonly when: string };

/** All words for what is to happen next: docs/payments.md has a table of them, which says what to do. */
export const NEXT_ACTION_MEANINGS = {
  APPROVE_PAYMENT: { actor: 'INTEGRATOR', when: 'another credential has to approve the payment' },
  SEND_DEPOSIT: { actor: 'INTEGRATOR', when: 'nothing of the deposit has come, or only dust' },
  TOP_UP_DEPOSIT: { actor: 'INTEGRATOR', when: 'a part of the deposit has come' },
  CONFIRM_DEPOSIT: { actor: 'SERVICE', when: 'the deposit is there and has too few confirmations' },
  DERIVE_INSTRUCTIONS: { actor: 'SERVICE', when: 'the swap is due and has no instructions yet' },
  WAIT_FOR_PRICE: { actor: 'SERVICE', when: 'the market gives less than options.minAmountOut' },
  EXECUTE_INSTRUCTIONS: { actor: 'INTEGRATOR', when: 'the swap has instructions' },
  WAIT_FOR_EXECUTION: { actor: 'INTEGRATOR', when: 'a submitted transaction may still be mined' },
  REFRESH_INSTRUCTIONS: { actor: 'INTEGRATOR', when: 'the instructions have expired' },
  FIND_TRANSACTION: {
    actor: 'INTEGRATOR',
    when: 'the chain, or a backup that was put back, lacks a transaction of the plan',
  },
  CONFIRM_TRANSACTION: { actor: 'SERVICE', when: 'a transaction has too few confirmations' },
  PAY_OUT: { actor: 'INTEGRATOR', when: 'the custodian is to pay the recipient' },
  RESOLVE_HOLD: { actor: 'INTEGRATOR', when: 'the custodian holds the payment back' },
  REVIEW_PAYOUT: {
    actor: 'INTEGRATOR',
    when: 'what was paid does not account for all that is due, or contradicts its rate',
  },
  SEND_LINK: { actor: 'SERVICE', when: 'the recipient is to be e-mailed a link' },
  COLLECT: { actor: 'RECIPIENT', when: 'the recipient has a link and is to choose' },
  REISSUE_LINK: { actor: 'INTEGRATOR', when: 'the link ended, or a delivery came back' },
  SETTLE_DIRECTLY: { actor: 'INTEGRATOR', when: 'the recipient cannot be asked once more' },
  DELIVER: { actor: 'INTEGRATOR', when: 'what the recipient chose is to be paid, or is on its way' },
  RETRY_STEP: { actor: 'INTEGRATOR', when: 'a step failed' },
  CATCHING_UP: { actor: 'SERVICE', when: 'the service has missed blocks of the chain: move no money' },
  REPLACE_RECIPIENT: { actor: 'INTEGRATOR', when: 'the account cannot be paid, or a payment came back' },
  REVIEW_FUNDS: { actor: 'INTEGRATOR', when: 'money is where the plan has no use for it' },
  CLOSE_PLAN: { actor: 'INTEGRATOR', when: 'nothing is left to do but to close the plan' },
} as const satisfies Readonly<Record<string, Meaning>>;

/** A word for what is to happen next. */
export type NextActionWord = keyof typeof NEXT_ACTION_MEANINGS;

/** The words alone. */
export const NEXT_ACTIONS = Object.keys(NEXT_ACTION_MEANINGS) as NextActionWord[];

/** What all words mean, in sentences. */
export function nextActionMeanings(): string {
  return Object.entries(NEXT_ACTION_MEANINGS)
    .map(([word, { actor, when }]) => `${word} (${actor}): ${when}.`)
    .join(' ');
}
