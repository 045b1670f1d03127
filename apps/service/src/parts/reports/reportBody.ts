import { defined } from '@fairway/values';
import type { Report, ReportResult } from '@fairway/store';
import type { Asset } from '@fairway/plan';
import type { Asset as AssetView, Report as ReportView } from '@fairway/wire';
import { decimalCell } from './cells.ts';
import { decimalsOf, type TokenNames, tokenNames } from './movementCells.ts';
import { eip55, timestampOf } from '@fairway/api';

/** A report in the form of the API. */
export function reportBody(report: Report): ReportView {
  const { reportId, type, format, fromMs, toMs, timezone, columns, filter, status } = report;
  const { period, accounts, byteOrderMark } = report;
  return {
    reportId,
    type,
    format,
    from: timestampOf(fromMs),
    to: timestampOf(toMs),
    ...defined({ period }),
    timezone,
    columns: [...columns],
    ...defined({ accounts, byteOrderMark }),
    ...(Object.keys(filter).length === 0 ? {} : { filter: { ...filter } }),
    status,
    ...(report.status === 'COMPLETE' ? resultBody(reportId, report.result) : {}),
    ...(report.status === 'FAILED' ? { failure: { ...report.failure } } : {}),
    createdAt: timestampOf(report.createdAtMs),
    updatedAt: timestampOf(report.updatedAtMs),
  };
}

function resultBody(
  reportId: string,
  { rows, bytes, sha256, controlTotals, tokens, emptyColumns }: ReportResult,
) {
  const names = tokenNames(tokens);
  return {
    ...{ rows, bytes, sha256, ...defined({ emptyColumns: emptyColumns && [...emptyColumns] }) },
    controlTotals: controlTotals.map(({ asset, amount, ...total }) => {
      const decimals = decimalsOf(asset, names);
      const cell = decimals === undefined ? undefined : decimalCell(BigInt(amount), decimals);
      const { kind, rows: count } = total;
      return {
        asset: totalledAsset(asset, names),
        ...{ kind, rows: count, amount },
        ...defined({ amountDecimal: cell?.decimal }),
      };
    }),
    downloadUrl: `/v1/reports/${reportId}/download`,
  };
}

/** An asset as the rows of the file name it, whatever its chain says today. */
function totalledAsset(asset: Asset, names: TokenNames): AssetView {
  if ('currency' in asset) return { ...asset };
  const { chainId, address } = asset;
  const { symbol, decimals } = names(chainId, address) ?? {};
  return { chainId, address: eip55(address), ...defined({ symbol, decimals }) };
}
