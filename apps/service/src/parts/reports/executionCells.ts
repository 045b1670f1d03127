import { unitsOf } from '@fairway/plan';
import type { ExecutedQuote, PeriodExecution } from '@fairway/store';
import type { ExecutionColumn } from '@fairway/wire';
import { eip55 } from '@fairway/api';
import { amountCells, bpsCell, type Cell, gasCells, metadataCells, rateCell, timeCell } from './cells.ts';
import type { TokenNames } from './movementCells.ts';
import type { ReportRow, Token } from './reportRow.ts';

/** Makes the rows of executions. */
export function executionRow(names: TokenNames): (execution: PeriodExecution) => ReportRow<ExecutionColumn> {
  return (execution) => {
    const { source, target, spent, received, reverses } = execution;
    const sign = reverses === undefined ? 1n : -1n;
    return {
      cells: { ...metadataCells(execution.metadata), ...cellsOf(execution, names, sign) },
      amounts: [
        { asset: source, kind: 'SWAP_IN', units: sign * spent },
        ...(execution.transferCount === 0
          ? []
          : [{ asset: target, kind: 'SWAP_OUT', units: sign * received } as const]),
      ],
      tokens: [source, target],
    };
  };
}

function cellsOf(
  execution: PeriodExecution,
  names: TokenNames,
  sign: 1n | -1n,
): Record<ExecutionColumn, Cell> {
  const { source, target, reverses, blockNumber, spent, received } = execution;
  const quoted = knownQuote(execution);
  const market = quoted && execution.market;
  const [given, got] = [nameOf(source, names)?.decimals, nameOf(target, names)?.decimals];
  return {
    executionId: execution.movementId,
    status: reverses === undefined ? 'RECORDED' : 'REVERSAL',
    reverses: reverses ?? null,
    planId: execution.planId,
    clientReference: execution.clientReference,
    corridorId: execution.corridorId,
    mode: execution.mode,
    stepId: execution.stepId ?? null,
    attempt: execution.attempt ?? null,
    reason: execution.reason ?? null,
    verification: execution.verification,
    chainId: source.chainId,
    tokenIn: eip55(source.address),
    symbolIn: nameOf(source, names)?.symbol ?? null,
    ...amountCells('amountIn', sign * spent, given),
    tokenOut: eip55(target.address),
    symbolOut: nameOf(target, names)?.symbol ?? null,
    ...amountCells('expectedAmount', quoted && sign * quoted.expected, got),
    ...amountCells('minimumAmount', execution.quoted && sign * execution.quoted.minimum, got),
    ...amountCells('receivedAmount', sign * received, got),
    transferCount: execution.transferCount,
    ...amountCells('differenceAmount', quoted && sign * (received - quoted.expected), got),
    ...amountCells('marketAmount', market === undefined ? undefined : sign * market, got),
    ...(reverses === undefined ? shareCells(execution, names) : NO_SHARES),
    slippageBps: quoted?.slippageBps ?? null,
    ...amountCells('upperBoundAmount', boundOf(quoted), got),
    quotedGasUnits: quoted?.gas === undefined ? null : { decimal: quoted.gas.units },
    quotedGasCost: quoted?.gas === undefined ? null : BigInt(quoted.gas.cost),
    ...gasCells(execution.gas, sign),
    ...costCells(execution, quoted, sign, [given, got]),
    costCurrency: execution.pegged ?? null,
    quotedAt: timeCell(quoted?.atMs),
    quotedBlock: quoted?.blockNumber ?? null,
    settledAt: timeCell(execution.settledAtMs),
    settledBlock: blockNumber,
    blocksBetween: quoted?.blockNumber === undefined ? null : blockNumber - quoted.blockNumber,
    txHash: execution.txHash,
    recordedAt: timeCell(execution.bookedAtMs),
  };
}

type CostColumn = 'poolFeeAmount' | 'poolFeeAmountOut' | 'gasAmountOut';

/**
 * The fees of the pools by the quote, in the token spent and, at the rate of the swap, in the token received. They are
 * empty where a pool takes its fee in another token than the one spent. The gas is in the token received, at the price of the quote.
 */
function costCells(
  { source, spent, received, gas }: PeriodExecution,
  quoted: ExecutedQuote | undefined,
  sign: 1n | -1n,
  [given, got]: readonly (number | undefined)[],
): Record<CostColumn | `${CostColumn}Decimal`, Cell> {
  const fees = quoted?.poolFees;
  const isKnown = fees?.every(({ asset }) => asset.address.toLowerCase() === source.address) === true;
  const fee = isKnown ? sign * fees.reduce((sum, { amount }) => sum + BigInt(amount), 0n) : undefined;
  const { cost, costInTokenOut } = quoted?.gas ?? {};
  const isPriced = costInTokenOut !== undefined && cost !== undefined && cost !== '0';
  const costWei = gas?.costWei === undefined ? undefined : sign * unitsOf(gas.costWei);
  const paid =
    isPriced && costWei !== undefined ? (costWei * BigInt(costInTokenOut)) / BigInt(cost) : undefined;
  return {
    ...amountCells('poolFeeAmount', fee, given),
    ...amountCells(
      'poolFeeAmountOut',
      fee === undefined || spent === 0n ? undefined : (fee * received) / spent,
      got,
    ),
    ...amountCells('gasAmountOut', paid, got),
  };
}

/**
 * The quote that was executed. Instructions that were lost with a database are put together again from their
 * execution, as if it had been expected. Their quote is not known. They name the block that executed them, which no
 * quote can.
 */
function knownQuote({ quoted, blockNumber }: PeriodExecution): ExecutedQuote | undefined {
  return quoted?.blockNumber !== undefined && quoted.blockNumber >= blockNumber ? undefined : quoted;
}

function boundOf(quoted: ExecutedQuote | undefined): bigint | undefined {
  return quoted?.bound === undefined ? undefined : BigInt(quoted.bound.upperBound);
}

type ShareColumn =
  | 'differenceBps'
  | 'marketMovedBps'
  | 'restBps'
  | 'aboveMinimumBps'
  | 'priceImpactBps'
  | 'routeGapBps'
  | 'receivedToBoundBps'
  | 'quotedRate'
  | 'realisedRate'
  | 'quotedGasBps';

/** A reversal has no shares and rates: they cannot be added up, so there is nothing to take back. */
const NO_SHARES: Readonly<Record<ShareColumn, Cell>> = {
  differenceBps: null,
  marketMovedBps: null,
  restBps: null,
  aboveMinimumBps: null,
  priceImpactBps: null,
  routeGapBps: null,
  receivedToBoundBps: null,
  quotedRate: null,
  realisedRate: null,
  quotedGasBps: null,
};

/** The difference of what was received from what was expected, in its two parts. */
function marketShares(
  received: bigint,
  market: bigint | undefined,
  expected: bigint | undefined,
): Record<'marketMovedBps' | 'restBps', Cell> {
  if (market === undefined || expected === undefined) return { marketMovedBps: null, restBps: null };
  return {
    marketMovedBps: shareCell(market - expected, expected),
    restBps: shareCell(received - market, expected),
  };
}

function shareCells(execution: PeriodExecution, names: TokenNames): Record<ShareColumn, Cell> {
  const { source, target, spent, received, market } = execution;
  const quoted = knownQuote(execution);
  const minimum = execution.quoted?.minimum;
  const [bound, gasCost] = [boundOf(quoted), quoted?.gas?.costInTokenOut];
  const [given, got] = [nameOf(source, names)?.decimals, nameOf(target, names)?.decimals];
  const rate = (units: bigint | undefined): Cell =>
    units === undefined || given === undefined || got === undefined
      ? null
      : rateCell({ units, decimals: got }, { units: spent, decimals: given });
  return {
    differenceBps: quoted === undefined ? null : shareCell(received - quoted.expected, quoted.expected),
    ...marketShares(received, market, quoted?.expected),
    aboveMinimumBps: minimum === undefined ? null : shareCell(received - minimum, minimum),
    priceImpactBps: quoted?.priceImpactBps ?? null,
    routeGapBps: quoted?.bound?.gapBps ?? null,
    receivedToBoundBps: bound === undefined ? null : shareCell(received - bound, bound),
    quotedRate: rate(quoted?.expected),
    realisedRate: rate(received),
    quotedGasBps:
      quoted === undefined || gasCost === undefined ? null : shareCell(BigInt(gasCost), quoted.expected),
  };
}

function shareCell(difference: bigint, whole: bigint): Cell {
  return whole === 0n ? null : bpsCell(difference, whole);
}

function nameOf({ chainId, address }: Token, names: TokenNames): ReturnType<TokenNames> {
  return names(chainId, address);
}
