import { createHash } from 'node:crypto';
import { eip55 } from '@fairway/api';
import type { PeriodMovement, ReportAsk } from '@fairway/store';
import { cutText } from '@fairway/values';
import type { JournalColumn } from '@fairway/wire';
import { type Cell, decimalCell, metadataCells, timeCell } from './cells.ts';
import { type JournalLine, journalLines } from './journalLines.ts';
import { maskText } from './maskText.ts';
import { decimalsOf, symbolOf, type TokenNames } from './movementCells.ts';
import type { ReportRow } from './reportRow.ts';

/**
 * Makes the lines of movements. `day`: the days of the report's time zone. `accounts`: what the roles are called; the
 * others have their own name.
 */
export function journalRows(
  day: (timeMs: number) => string,
  names: TokenNames,
  accounts: ReportAsk['accounts'] = {},
): (movement: PeriodMovement) => readonly ReportRow<JournalColumn>[] {
  return (reported) => {
    const shared = { ...metadataCells(reported.metadata), ...movementCells(reported, day) };
    return journalLines(reported).map(({ role, asset, units }, index) => {
      const account = accounts[role] ?? role;
      const cells = {
        line: index + 1,
        account,
        accountRole: role,
        ...assetCells({ role, asset, units }, names),
      };
      const amount = { asset, kind: reported.movement.kind, units, account };
      return { cells: { ...shared, ...cells }, amounts: [amount], tokens: [] };
    });
  };
}

type LineColumn =
  | ('line' | 'account' | 'accountRole' | 'currency' | 'debit' | 'credit')
  | ('amount' | 'amountDecimal' | 'chainId' | 'address' | 'decimals');

function assetCells(
  { asset, units }: JournalLine,
  names: TokenNames,
): Record<Exclude<LineColumn, 'line' | 'account' | 'accountRole'>, Cell> {
  const decimals = decimalsOf(asset, names);
  const whole = (amount: bigint) => (decimals === undefined ? null : decimalCell(amount, decimals));
  return {
    currency: symbolOf(asset, names) ?? null,
    debit: units > 0n ? whole(units) : null,
    credit: units < 0n ? whole(-units) : null,
    amount: units,
    amountDecimal: whole(units),
    chainId: 'currency' in asset ? null : asset.chainId,
    address: 'currency' in asset ? null : eip55(asset.address),
    decimals: decimals ?? null,
  };
}

function movementCells(
  reported: PeriodMovement,
  day: (timeMs: number) => string,
): Record<Exclude<JournalColumn, LineColumn>, Cell> {
  const { movement, bookedAtMs, recipient, payee } = reported;
  const { movementId, kind, reverses } = movement;
  return {
    entryNumber: entryNumberOf(movementId),
    postingDate: { day: day(bookedAtMs) },
    description: descriptionOf(reported),
    kind,
    status: reverses === undefined ? 'RECORDED' : 'REVERSAL',
    movementId,
    reverses: reverses ?? null,
    planId: reported.planId,
    clientReference: reported.clientReference,
    corridorId: reported.corridorId,
    recipientId: recipient?.registeredAs?.recipientId ?? null,
    recipientMasked: payee === undefined ? null : maskText(payee),
    endToEndId: movement.endToEndId ?? null,
    providerReference: movement.providerReference ?? null,
    txHash: movement.transfer?.txHash ?? null,
    recordedAt: timeCell(bookedAtMs),
  };
}

/** How many characters a description has at most. */
const MOST_CHARACTERS = 100;

function descriptionOf({ movement: { kind, reverses }, clientReference }: PeriodMovement): string {
  const text = `${kind}${reverses === undefined ? '' : ' taken back'} ${clientReference}`;
  return cutText(text, MOST_CHARACTERS);
}

/** How many digits of the hash a number has: 92 bits, which no two movements share. */
const HASH_DIGITS = 23;

/**
 * The number of a movement's entry: 20 letters and digits, as many as document numbers of ledgers have. It is the same
 * for ever, so that no entry is posted twice.
 */
function entryNumberOf(movementId: string): string {
  const hash = createHash('sha256').update(movementId).digest('hex').slice(0, HASH_DIGITS);
  return `J${BigInt(`0x${hash}`).toString(32).toUpperCase().padStart(19, '0')}`;
}
