import type { Random } from '@fairway/testing';

/** A payment of the bank. */
export type BankPayment = {
  readonly reference: string;
  readonly endToEndId: string;
  readonly account: string;
  readonly amount: bigint;
  state: 'PAID' | 'HELD' | 'FAILED' | 'RETURNED';
  code: string;
};

/** The custodian's bank. It makes no second payment of an id to an account unless the first failed. */
export type Bank = {
  readonly payments: readonly BankPayment[];
  /** Pays, or answers with the payment that it has of this id and account already. */
  pay(endToEndId: string, account: string, amount: bigint, isCalm: boolean): BankPayment;
  /** Decides about a payment that it holds. */
  resolve(payment: BankPayment, isCalm: boolean): void;
  /** Gives up what it holds. */
  recall(): void;
  /** What it has paid and not got back. */
  netPaid(): bigint;
};

const CODES = ['ACCOUNT_CLOSED', 'OTHER'] as const;

/** Makes a bank that has paid nothing. */
export function createBank(random: Random): Bank {
  const payments: BankPayment[] = [];
  const found = (endToEndId: string, account: string) =>
    payments.findLast(
      (each) => each.endToEndId === endToEndId && each.account === account && each.state !== 'FAILED',
    );

  return {
    payments,
    pay(endToEndId, account, amount, isCalm) {
      const known = found(endToEndId, account);
      if (known !== undefined) return known;
      const state = isCalm ? 'PAID' : random.pick(['PAID', 'PAID', 'PAID', 'HELD', 'FAILED'] as const);
      const reference = `PO-${payments.length + 1}`;
      const payment = { reference, endToEndId, account, amount, state, code: random.pick(CODES) };
      payments.push(payment);
      return payment;
    },
    resolve(payment, isCalm) {
      if (payment.state === 'HELD')
        payment.state = isCalm ? 'PAID' : random.pick(['PAID', 'FAILED', 'HELD'] as const);
    },
    recall() {
      for (const payment of payments) if (payment.state === 'HELD') payment.state = 'FAILED';
    },
    netPaid: () =>
      payments.filter(({ state }) => state === 'PAID').reduce((sum, { amount }) => sum + amount, 0n),
  };
}
