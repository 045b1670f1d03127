import { type Asset, directionOf, minorDecimalsOf, unitsOf } from '@fairway/plan';
import type { Reconciled, PeriodMovement, TokenName } from '@fairway/store';
import type { MovementColumn, RECONCILIATION_COLUMNS } from '@fairway/wire';
import { eip55 } from '@fairway/api';
import {
  amountCells,
  bpsCell,
  type Cell,
  decimalCell,
  gasCells,
  metadataCells,
  rateCell,
  timeCell,
} from './cells.ts';
import { maskText } from './maskText.ts';
import type { ReportRow } from './reportRow.ts';

/** What tokens are called. */
export type TokenNames = (chainId: number, address: string) => TokenName | undefined;

/** Makes the look-up of tokens by chain and address. */
export function tokenNames(tokens: readonly TokenName[]): TokenNames {
  const known = new Map(tokens.map((token) => [`${token.chainId} ${token.address}`, token]));
  return (chainId, address) => known.get(`${chainId} ${address.toLowerCase()}`);
}

/** How many decimals an asset has; undefined where its token was never read. */
export function decimalsOf(asset: Asset, names: TokenNames): number | undefined {
  return 'currency' in asset
    ? minorDecimalsOf(asset.currency)
    : names(asset.chainId, asset.address)?.decimals;
}

/** What an asset is called; undefined where its token was never read. */
export function symbolOf(asset: Asset, names: TokenNames): string | undefined {
  return 'currency' in asset ? asset.currency : names(asset.chainId, asset.address)?.symbol;
}

/** The amount of a movement in smallest units: negative where it takes another one back. */
function signedUnits({ movement: { actual, reverses } }: PeriodMovement): bigint {
  const units = unitsOf(actual);
  return reverses === undefined ? units : -units;
}

/** Makes the rows of movements, each with what reconciliation says of it. `day`: the days of the report's time zone. */
export function movementRow(
  day: (timeMs: number) => string,
  names: TokenNames,
): (movement: PeriodMovement, reconciled: Reconciled | undefined) => ReportRow<MovementColumn> {
  return (reported, reconciled) => {
    const { movement, execution } = reported;
    const { asset, kind } = movement;
    const isToken = !('currency' in asset);
    return {
      cells: {
        ...metadataCells(reported.metadata),
        ...cellsOf(reported, names, day),
        ...reconciledCells(reconciled),
      },
      amounts: [{ asset, kind, units: signedUnits(reported) }],
      tokens:
        execution === undefined || !isToken ? [] : [{ chainId: asset.chainId, address: execution.source }],
    };
  };
}

function cellsOf(
  reported: PeriodMovement,
  names: TokenNames,
  day: (timeMs: number) => string,
): Record<Exclude<MovementColumn, ReconciledColumn>, Cell> {
  const { movement, bookedAtMs, recipient, payee } = reported;
  const { transfer } = movement;
  const completedAtMs = transfer?.blockTimeMs ?? movement.occurredAtMs;
  return {
    movementId: movement.movementId,
    kind: movement.kind,
    reverses: movement.reverses ?? null,
    planId: reported.planId,
    clientReference: reported.clientReference,
    corridorId: reported.corridorId,
    mode: reported.mode,
    stepId: movement.stepId ?? null,
    stepType: reported.stepType ?? null,
    attempt: movement.attempt ?? null,
    direction: directionOf(movement),
    status: movement.reverses === undefined ? 'RECORDED' : 'REVERSAL',
    verification: movement.verification,
    reason: movement.reason ?? null,
    note: reported.note ?? null,
    ...assetCells(reported, names),
    ...paidCells(reported),
    ...feeCells(reported, names),
    ...swapCells(reported, names),
    ...gasCells(reported.gas, movement.reverses === undefined ? 1n : -1n),
    txHash: transfer?.txHash ?? null,
    logIndex: transfer?.logIndex ?? null,
    blockNumber: transfer?.blockNumber ?? null,
    blockTime: timeCell(transfer?.blockTimeMs),
    providerReference: movement.providerReference ?? null,
    endToEndId: movement.endToEndId ?? null,
    recipientId: recipient?.registeredAs?.recipientId ?? null,
    recipientMasked: payee === undefined ? null : maskText(payee),
    destinationType: payee?.type ?? null,
    failureCode: reported.failureCode ?? null,
    createdAt: timeCell(reported.planCreatedAtMs),
    completedAt: timeCell(completedAtMs),
    valueDate: { day: day(completedAtMs ?? bookedAtMs) },
    recordedAt: timeCell(bookedAtMs),
  };
}

type ReconciledColumn = (typeof RECONCILIATION_COLUMNS)[number];

/** The columns of reconciliation, and the entries that they are about. */
function reconciledCells(reconciled: Reconciled | undefined): Record<ReconciledColumn, Cell> {
  const entryIds = reconciled?.entryIds ?? [];
  return {
    reconciliation: reconciled?.state ?? null,
    statementEntry: entryIds.length === 0 ? null : entryIds.join(' '),
  };
}

type AssetColumn = 'chainId' | 'address' | 'symbol' | 'amount' | 'decimals' | 'amountDecimal';

function assetCells(reported: PeriodMovement, names: TokenNames): Record<AssetColumn, Cell> {
  const { asset } = reported.movement;
  const units = signedUnits(reported);
  const decimals = decimalsOf(asset, names);
  const amounts = {
    amount: units,
    decimals: decimals ?? null,
    amountDecimal: decimals === undefined ? null : decimalCell(units, decimals),
  };
  if ('currency' in asset) return { chainId: null, address: null, symbol: asset.currency, ...amounts };
  const { chainId, address } = asset;
  return { chainId, address: eip55(address), symbol: names(chainId, address)?.symbol ?? null, ...amounts };
}

/** What the beneficiary was paid, where it was a currency. */
function paidCells(reported: PeriodMovement): Record<'currency' | 'paidAmount' | 'paidAmountDecimal', Cell> {
  const { paid } = reported;
  if (paid === undefined || !('currency' in paid.asset))
    return { currency: null, paidAmount: null, paidAmountDecimal: null };
  const { currency } = paid.asset;
  const paidUnits = unitsOf(paid.amount);
  const units = reported.movement.reverses === undefined ? paidUnits : -paidUnits;
  const decimals = minorDecimalsOf(currency);
  return {
    currency,
    paidAmount: units,
    paidAmountDecimal: decimals === undefined ? null : decimalCell(units, decimals),
  };
}

/** What the custodian charged, as it was reported: in its currency, or in a token. */
function feeCells(
  { fee, movement }: PeriodMovement,
  names: TokenNames,
): Record<'feeCurrency' | 'feeAmount' | 'feeAmountDecimal', Cell> {
  if (fee === undefined) return { feeCurrency: null, feeAmount: null, feeAmountDecimal: null };
  const { asset, amount } = fee;
  const units = movement.reverses === undefined ? unitsOf(amount) : -unitsOf(amount);
  return {
    feeCurrency: symbolOf(asset, names) ?? null,
    ...amountCells('feeAmount', units, decimalsOf(asset, names)),
  };
}

type SwapColumn = 'expectedAmount' | 'driftAmount' | 'driftBps' | 'quotedRate' | 'realisedRate';

/**
 * What was expected, and what came of it. A swap that paid in several transfers is not compared by any single one of
 * them.
 */
function swapCells(reported: PeriodMovement, names: TokenNames): Record<SwapColumn, Cell> {
  const { movement, execution } = reported;
  const { kind, asset, expected, rate } = movement;
  const isPart = kind === 'SWAP_OUT' && execution?.transfers !== 1;
  const expectedUnits = expected === undefined ? undefined : unitsOf(expected);
  const drift = expectedUnits === undefined || isPart ? undefined : signedUnits(reported) - expectedUnits;
  const cells = {
    expectedAmount: expectedUnits ?? null,
    driftAmount: drift ?? null,
    driftBps: drift === undefined || !expectedUnits ? null : bpsCell(drift, expectedUnits),
    quotedRate: null,
    realisedRate: rate === undefined ? null : { decimal: rate },
  };
  if (execution === undefined || isPart || 'currency' in asset) return cells;
  const given = names(asset.chainId, execution.source)?.decimals;
  const got = decimalsOf(asset, names);
  if (given === undefined || got === undefined) return cells;
  const spent = { units: execution.spent, decimals: given };
  return {
    ...cells,
    quotedRate: expectedUnits === undefined ? null : rateCell({ units: expectedUnits, decimals: got }, spent),
    realisedRate: rateCell({ units: unitsOf(movement.actual), decimals: got }, spent),
  };
}
