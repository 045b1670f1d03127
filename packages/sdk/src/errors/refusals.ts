/** Why a webhook is not to be believed. */
export type WebhookRefusal =
  | 'SECRET_MALFORMED'
  | 'HEADER_MISSING'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'SIGNATURE_WRONG'
  | 'BODY_MALFORMED';

/** A webhook that is not to be believed. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code = 'webhook-refused';
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** How an answer differs from what was asked for. */
export type UnsafeReason =
  | 'CHAIN'
  | 'ROUTER'
  | 'SPENDER'
  | 'APPROVAL'
  | 'TOKEN'
  | 'AMOUNT'
  | 'RECIPIENT'
  | 'LIMIT'
  | 'EXPIRED'
  | 'DEADLINE'
  | 'CALLS'
  | 'CALLDATA';

/** Instructions that do not do what was asked for, and no more. Nothing was signed. */
export class UnsafeAnswerError extends Error {
  override readonly name = 'UnsafeAnswerError';
  readonly code = 'unsafe-answer';
  readonly reason: UnsafeReason;

  constructor(reason: UnsafeReason, detail: string) {
    super(`Nothing more was signed: ${detail}`);
    this.reason = reason;
  }
}

/** A transaction that was sent and reverted, or a plan that needs a person. */
export class ExecutionError extends Error {
  override readonly name = 'ExecutionError';
  readonly code = 'execution-failed';
  readonly txHash: string | undefined;

  constructor(detail: string, txHash?: string) {
    super(detail);
    this.txHash = txHash;
  }
}
