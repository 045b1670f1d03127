import { type SpentGas, unitsOf } from '@fairway/plan';
import { timestampOf } from '@fairway/api';

/**
 * A value of a row.
 * - bigint: an amount in smallest units, or another whole number without a bound
 * - `decimal`: an exact decimal number
 * - `timeMs`: a time, in milliseconds since 1970
 * - `day`: a day of a calendar, as 2026-10-31
 * - null: not known, or of no meaning for the row
 */
export type Cell =
  | string
  | number
  | bigint
  | { readonly decimal: string }
  | { readonly timeMs: number }
  | { readonly day: string }
  | null;

/** A time that may not be known. */
export function timeCell(timeMs: number | undefined): Cell {
  return timeMs === undefined ? null : { timeMs };
}

/** What a cell is in formats that have no types for times, days and exact decimal numbers. */
export function plainCell(cell: Cell): string | number | bigint | null {
  if (typeof cell !== 'object' || cell === null) return cell;
  if ('timeMs' in cell) return timestampOf(cell.timeMs);
  return 'day' in cell ? cell.day : cell.decimal;
}

/** A whole number of smallest units as an exact decimal number of whole units. */
export function decimalCell(units: bigint, decimals: number): { readonly decimal: string } {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const text = decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return { decimal: units < 0n ? `-${text}` : text };
}

/** An amount in smallest units and, where it is known how many of them are a whole unit, in whole units. */
export function amountCells<Column extends string>(
  column: Column,
  units: bigint | undefined,
  decimals: number | undefined,
): Record<Column | `${Column}Decimal`, Cell> {
  const whole = units === undefined || decimals === undefined ? null : decimalCell(units, decimals);
  return { [column]: units ?? null, [`${column}Decimal`]: whole } as Record<
    Column | `${Column}Decimal`,
    Cell
  >;
}

/** What a plan's metadata has, by the columns that can be asked for. */
export function metadataCells(metadata: Readonly<Record<string, string>>): Readonly<Record<string, Cell>> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value]));
}

/** The gas of a transaction: its units, and what they cost in wei. `sign`: -1 where an execution is taken back. */
export function gasCells(gas: SpentGas | undefined, sign: 1n | -1n): Record<'gasUsed' | 'gasCost', Cell> {
  const { units, costWei } = gas ?? {};
  return {
    gasUsed: units === undefined ? null : sign * unitsOf(units),
    gasCost: costWei === undefined ? null : sign * unitsOf(costWei),
  };
}

/** How much a difference is of a whole, in hundredths of a percent, cut off. The whole is not 0. */
export function bpsCell(difference: bigint, whole: bigint): Cell {
  return { decimal: String((difference * 10_000n) / whole) };
}

/** How many digits a rate has behind its point. */
const RATE_DIGITS = 18;

/** How many whole units of one asset a whole unit of another one is, cut off behind 18 digits; null where there is none. */
export function rateCell(
  got: { readonly units: bigint; readonly decimals: number },
  given: { readonly units: bigint; readonly decimals: number },
): Cell {
  if (given.units === 0n) return null;
  const scaled = got.units * 10n ** BigInt(given.decimals + RATE_DIGITS);
  return decimalCell(scaled / (given.units * 10n ** BigInt(got.decimals)), RATE_DIGITS);
}

/** The days of a time zone. */
export function dayOf(timezone: string): (timeMs: number) => string {
  if (timezone === 'UTC') return (timeMs) => new Date(timeMs).toISOString().slice(0, 10);
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  return (timeMs) => format.format(timeMs);
}
