import { createHash } from 'node:crypto';
import type { PlanScope, ReportAsk, PayoutStatementHead } from '@fairway/store';
import { dayOf } from './cells.ts';

/**
 * What a statement has beside its entries. Amounts in minor units of the currency. `statementId` and `accountId`: 34 characters, the same
 * whenever the same is asked for. Days as 2026-10-31.
 */
export type PayoutStatementFrame = {
  readonly statementId: string;
  readonly accountId: string;
  readonly corridorId: string;
  readonly custodian: string;
  readonly currency: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly opening: bigint;
  readonly credits: { readonly entryCount: number; readonly minor: bigint };
  readonly debits: { readonly entryCount: number; readonly minor: bigint };
};

/** The frame of the statement that a report asks for. */
export function payoutStatementFrame(
  { organisationId, environment }: PlanScope,
  { filter, fromMs, toMs, timezone }: Pick<ReportAsk, 'filter' | 'fromMs' | 'toMs' | 'timezone'>,
  { custodian, currency, opening, credits, debits }: PayoutStatementHead,
): PayoutStatementFrame {
  const { corridorId = '' } = filter;
  const account = [organisationId, environment, corridorId, custodian, currency];
  const day = dayOf(timezone);
  return {
    statementId: idOf([...account, fromMs, toMs, timezone]),
    accountId: idOf(account),
    ...{ corridorId, custodian, currency, fromMs, toMs },
    firstDay: day(fromMs),
    lastDay: day(toMs - 1),
    opening: BigInt(opening),
    credits: { ...credits, minor: BigInt(credits.minor) },
    debits: { ...debits, minor: BigInt(debits.minor) },
  };
}

/** Whether the account of a statement is named as statements of Fairway name theirs. No bank does: IBANs have capital letters, and FW is no country. */
export function isOwnAccount(account: string): boolean {
  return /^FW[0-9a-f]{32}$/.test(account);
}

/** An id that says nothing, for as much as messages of ISO 20022 have room for. */
function idOf(parts: readonly (string | number)[]): string {
  return `FW${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`;
}
