/** A transfer that settles another step or another plan. */
export type ClaimedTransfer = { readonly txHash: string; readonly logIndex: number };

/** Transfers that settle something else. It is thrown so that the transaction is rolled back. */
export class TransferClaimedError extends Error {
  readonly transfers: readonly ClaimedTransfer[];
  constructor(transfers: readonly ClaimedTransfer[]) {
    const names = transfers.map(({ txHash, logIndex }) => `${logIndex} of ${txHash}`);
    super(`These transfers settle something else: ${names.join(', ')}.`);
    this.transfers = transfers;
  }
}

/** A provider's reference that settles a payout or a refund of another plan, or another one of this plan. */
export type UsedReference = {
  readonly reference: string;
  readonly planId: string;
  readonly kind: 'PAYOUT' | 'REFUND';
};

/** A reference that is used already. It is thrown so that the transaction is rolled back. */
export class ReferenceUsedError extends Error {
  readonly used: UsedReference;
  constructor(used: UsedReference) {
    super(`The reference ${used.reference} settles a ${used.kind} of ${used.planId}.`);
    this.used = used;
  }
}
