import type { BlockReadingRefusal } from '@fairway/evm';

/** Why a command cannot be carried out, as a code for scripts. */
export type CommandFault =
  | 'CREDENTIAL_UNKNOWN'
  | 'CREDENTIAL_REVOKED'
  | 'PLAN_UNKNOWN'
  | 'PLAN_CHANGED'
  | 'REFUSED'
  | 'AUDIT_LOG_FAULTY'
  | 'LEDGER_FAULTY'
  | 'AUDIT_LOG_UNWRITABLE'
  | 'DATABASE_UNAVAILABLE'
  | 'KEY_UNAVAILABLE'
  | BlockReadingRefusal['reason']
  | 'CHAIN_UNKNOWN'
  | 'TOKEN_UNKNOWN'
  | 'TOKEN_AMBIGUOUS'
  | 'SAME_TOKEN'
  | 'NO_ROUTE'
  | 'INSUFFICIENT_LIQUIDITY'
  | 'AMOUNT_OUT_OF_RANGE'
  | 'PRICE_IMPACT_TOO_HIGH'
  | 'CLIENT_NODE_ENDED'
  | 'FILE_NOT_WRITTEN';

/** The command was understood but cannot be carried out. The message says why and what to do. */
export class CommandError extends Error {
  readonly code: CommandFault;
  constructor(code: CommandFault, message: string) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
  }
}
