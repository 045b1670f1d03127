import type { Asset } from '@fairway/plan';
import type { ControlTotal, ReportResult } from '@fairway/store';
import { eip55 } from '@fairway/api';
import { type Cell, decimalCell } from './cells.ts';
import { decimalsOf, type TokenNames } from './movementCells.ts';
import type { ReportRow, RowAmount, Token } from './reportRow.ts';

/** What the rows of a file add up to. */
export type Totals = {
  add(row: ReportRow): void;
  /** The tokens that the rows name, by `tokenKey`. */
  seen(): ReadonlySet<string>;
  end(): Pick<ReportResult, 'rows' | 'controlTotals'>;
  /** The totals as a table: of a journal by account and currency, else by asset and kind. */
  table(): { readonly columns: readonly string[]; readonly rows: readonly Cell[][] };
};

type Sum = Pick<RowAmount, 'asset' | 'kind' | 'account'> & { rows: number; units: bigint; debits: bigint };

/** Adds up amounts, in an order that does not depend on that of the rows. */
export function createTotals(names: TokenNames): Totals {
  const totals = new Map<string, Sum>();
  const accounts = new Map<string, Sum>();
  const seen = new Set<string>();
  let rows = 0;

  function addTo(sums: Map<string, Sum>, name: string, { asset, kind, account, units }: RowAmount): void {
    const key = `${'currency' in asset ? asset.currency : tokenKey(asset)} ${name}`;
    const sum = sums.get(key) ?? { asset, kind, account, rows: 0, units: 0n, debits: 0n };
    sums.set(key, sum);
    sum.rows += 1;
    sum.units += units;
    if (units > 0n) sum.debits += units;
  }

  return {
    add({ amounts, tokens }) {
      rows += 1;
      for (const amount of amounts) {
        addTo(totals, amount.kind, amount);
        if (amount.account !== undefined) addTo(accounts, amount.account, amount);
        if (!('currency' in amount.asset)) seen.add(tokenKey(amount.asset));
      }
      for (const token of tokens) seen.add(tokenKey(token));
    },
    seen: () => seen,
    end() {
      const controlTotals = ordered(totals).map(
        ({ asset, kind, rows: count, units }): ControlTotal => ({
          ...{ asset, kind, rows: count, amount: String(units) },
        }),
      );
      return { rows, controlTotals };
    },
    table() {
      const kinds = {
        columns: ['kind', 'rows', 'amount', 'amountDecimal', ...ASSET],
        rows: ordered(totals).map((sum) => [
          ...[sum.kind, sum.rows, sum.units, wholeOf(sum.asset, sum.units, names)],
          ...assetCells(sum.asset, names),
        ]),
      };
      if (accounts.size === 0) return kinds;
      return {
        columns: ['account', 'rows', 'debit', 'credit', 'balance', ...ASSET],
        rows: ordered(accounts).map(({ account, rows: count, units, debits, asset }) => [
          ...[account ?? null, count],
          ...[debits, debits - units, units].map((each) => wholeOf(asset, each, names)),
          ...assetCells(asset, names),
        ]),
      };
    },
  };
}

const ASSET = ['symbol', 'chainId', 'address'];

function assetCells(asset: Asset, names: TokenNames): Cell[] {
  if ('currency' in asset) return [asset.currency, null, null];
  return [names(asset.chainId, asset.address)?.symbol ?? null, asset.chainId, eip55(asset.address)];
}

function wholeOf(asset: Asset, units: bigint, names: TokenNames): Cell {
  const decimals = decimalsOf(asset, names);
  return decimals === undefined ? null : decimalCell(units, decimals);
}

function ordered(sums: ReadonlyMap<string, Sum>): readonly Sum[] {
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** A token as a text. */
export function tokenKey({ chainId, address }: Token): string {
  return `${chainId} ${address}`;
}
