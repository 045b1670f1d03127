import type { SuggestedMap, Suggestion } from '@fairway/statements';
import { maskOf } from '@fairway/store';
import { defined } from '@fairway/values';
import type {
  FoundMovement,
  KeptEntry,
  KeptMap,
  KeptSection,
  KeptStatement,
  MatchedMovement,
  ShownEntry,
} from '@fairway/store';
import {
  ENTRY_STATUSES,
  type MapSuggestion,
  type Statement,
  type StatementDifference,
  type StatementEntry,
  type StatementMap,
  type StatementMovement,
} from '@fairway/wire';
import type { Difference } from './entries.ts';
import { timestampOf } from '@fairway/api';
import { type Chains, movementBody, transferBody } from '../payments/index.ts';

/** A column map in the form of the API. */
export function mapBody({ name, map, createdAtMs, updatedAtMs }: KeptMap): StatementMap {
  const times = { createdAt: timestampOf(createdAtMs), updatedAt: timestampOf(updatedAtMs) };
  return { name, map: mapFields(map), ...times };
}

function mapFields<Map extends Pick<SuggestedMap, 'leaveOut'>>({ leaveOut, ...map }: Map) {
  return {
    ...map,
    ...defined({ leaveOut: leaveOut && { column: leaveOut.column, values: [...leaveOut.values] } }),
  };
}

/** What a sample suggests, in the form of the API. Names and accounts are masked as those of entries. */
export function suggestionBody({ map, missing, doubts, rows, fault }: Suggestion): MapSuggestion {
  return {
    map: mapFields(map),
    missing: [...missing],
    doubts: [...doubts],
    rows: rows.map(({ line, unit, balance }) => {
      const counterparty = maskOf(unit);
      return {
        ...{ line, bookedOn: unit.bookedOn, valueOn: unit.valueOn, direction: unit.direction },
        ...{ amount: String(unit.minor), asset: { currency: map.currency ?? '' } },
        ...defined({
          balance: balance === undefined ? undefined : String(balance),
          endToEndId: unit.endToEndId,
        }),
        references: [...unit.references],
        ...(Object.keys(counterparty).length === 0 ? {} : { counterparty }),
      };
    }),
    ...defined({ fault }),
  };
}

/** A statement in the form of the API. */
export function statementBody(kept: KeptStatement): Statement {
  const { statementId, format, mapName, replacedBy, sha256, sections, counts, createdAtMs } = kept;
  const entries = ENTRY_STATUSES.map((status) => [status, counts[status] ?? 0] as const);
  return {
    ...{ statementId, format, sha256 },
    ...defined({ map: mapName, replacedBy }),
    sections: sections.map(sectionBody),
    entries: {
      ...Object.fromEntries(entries),
      TOTAL: entries.reduce((sum, [, count]) => sum + count, 0),
    } as Statement['entries'],
    createdAt: timestampOf(createdAtMs),
  };
}

function sectionBody(section: KeptSection): Statement['sections'][number] {
  const { accountMasked, currency, number, opening, closing, preceding } = section;
  const hasGap =
    preceding !== undefined && opening !== undefined && preceding.closing.minor !== opening.minor;
  const gap = hasGap
    ? { afterStatementId: preceding.statementId, expectedOpening: balanceBody(preceding.closing) }
    : undefined;
  return {
    account: accountMasked,
    currency,
    ...defined({
      number,
      opening: opening && balanceBody(opening),
      closing: closing && balanceBody(closing),
    }),
    isBalanced: opening === undefined || closing === undefined ? 'UNKNOWN' : 'YES',
    ...defined({ gap }),
  };
}

function balanceBody({ minor, on }: NonNullable<KeptSection['opening']>) {
  return { amount: String(minor), on };
}

/** An entry in the form of the API. */
export function shownEntryBody({ entry, movements }: ShownEntry, chains: Chains): StatementEntry {
  return entryBody(entry, (movementId) => {
    const found = movements.get(movementId);
    return found && ledgerBody(found, chains);
  });
}

/** An entry in the form of the API. `ledgerOf`: the movements that it is or may be, where they are shown. */
export function entryBody(
  entry: KeptEntry,
  ledgerOf: (movementId: string) => StatementMovement | undefined = () => undefined,
): StatementEntry {
  const { minor, currency, allocations, proposals, masked, ignoredReason } = entry;
  const { entryId, status, direction, bookedOn, valueOn, isReversal, isRest } = entry;
  const { servicerReference, endToEndId, code } = entry;
  const matchedMinor = allocations.reduce((sum, each) => sum + each.minor, 0n);
  return {
    ...{ entryId, status, verification: 'REPORTED', direction },
    amount: String(minor),
    openAmount: String(status === 'IGNORED' ? 0n : minor - matchedMinor),
    asset: { currency },
    ...{ bookedOn, valueOn, isReversal, isRest },
    ...defined({ servicerReference, endToEndId, code }),
    references: [...entry.references],
    ...(Object.keys(masked).length === 0 ? {} : { counterparty: { ...masked } }),
    matches: allocations.map(({ movementId, planId, minor: amount, by }) => ({
      ...{ movementId, planId, amount: String(amount), by },
      ...defined({ ledger: ledgerOf(movementId) }),
    })),
    proposals: proposals.map(({ movementId, by, reasons }) => ({
      ...{ movementId, by, reasons: [...reasons] },
      ...defined({ ledger: ledgerOf(movementId) }),
    })),
    ...defined({ ignoredReason }),
    updatedAt: timestampOf(entry.updatedAtMs),
  };
}

function ledgerBody(
  { planId, movement, money, isTakenBack, log }: MatchedMovement,
  chains: Chains,
): StatementMovement {
  return {
    planId,
    movement: movementBody(movement, chains),
    bank: {
      currency: money.currency,
      ...defined({ amount: money.minor === undefined ? undefined : String(money.minor) }),
    },
    isTakenBack,
    ...(log === undefined
      ? {}
      : {
          log: {
            kind: log.kind as 'DEPOSIT',
            transfer: transferBody(log.transfer),
            verification: log.verification,
          },
        }),
  };
}

/** A difference in the form of the API. */
export function differenceBody(difference: Difference, chains: Chains): StatementDifference {
  if ('movement' in difference) return movementDifference(difference.movement, chains);
  const { entry } = difference.entry;
  const isWhole = entry.status === 'MATCHED' || entry.status === 'IGNORED';
  return {
    kind: isWhole ? 'MOVEMENT_TAKEN_BACK' : 'ENTRY_NOT_MATCHED',
    entry: shownEntryBody(difference.entry, chains),
  };
}

function movementDifference(found: FoundMovement, chains: Chains): StatementDifference {
  const { money, taken } = found;
  return {
    kind: 'MOVEMENT_NOT_MATCHED',
    ledger: ledgerBody(found, chains),
    ...defined({ openAmount: money.minor === undefined ? undefined : String(money.minor - taken) }),
  };
}
