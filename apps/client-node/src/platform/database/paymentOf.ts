/** The id of the payment that an execution belongs to; undefined where it is none's. */
export function paymentOf(executionId: string): string | undefined {
  return /^(pay_[0-9a-f]{40})_\d+$/.exec(executionId)?.[1];
}
