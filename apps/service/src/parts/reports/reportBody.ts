import { defined } from '@fairway/values';
import type { Report, ReportResult } from '@fairway/store';
import type { Report as ReportView } from '@fairway/wire';
import { decimalCell } from './cells.ts';
import { decimalsOf, tokenNames } from './movementCells.ts';
import { timestampOf } from '@fairway/api';
import { assetBody } from '../payments/index.ts';

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

function resultBody(reportId: string, { rows, bytes, sha256, controlTotals, tokens }: ReportResult) {
  const names = tokenNames(tokens);
  return {
    ...{ rows, bytes, sha256 },
    controlTotals: controlTotals.map(({ asset, amount, ...total }) => {
      const symbol = 'currency' in asset ? undefined : names(asset.chainId, asset.address)?.symbol;
      const decimals = decimalsOf(asset, names);
      const cell = decimals === undefined ? undefined : decimalCell(BigInt(amount), decimals);
      const { kind, rows: count } = total;
      return {
        asset: assetBody(asset),
        ...defined({ symbol }),
        ...{ kind, rows: count, amount },
        ...defined({ amountDecimal: cell?.decimal }),
      };
    }),
    downloadUrl: `/v1/reports/${reportId}/download`,
  };
}
