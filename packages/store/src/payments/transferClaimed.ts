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
