import { median, percentile, short } from '../measuring/statistics.ts';
import { alignedTable } from '../measuring/table.ts';
import type { BlockTimes } from './blocks.ts';
import type { Measured } from './measure.ts';

const GAP_MEDIAN_BPS = 0.02;
const GAP_P90_BPS = 1;
const BEHIND_BPS = 2;

/** The results of routers in one market for one trade type, and whether the first router meets the targets. */
export function routersTable(
  title: string,
  names: readonly string[],
  rows: readonly (readonly Measured[])[],
  arbitrage: boolean,
): string {
  const header = [
    title,
    'answered',
    'ms',
    'p95',
    'time',
    'gap, Bps',
    'p90',
    'max',
    'proven p90',
    'behind',
    'legs',
  ];
  const [reference = []] = rows;
  const cells = rows.map((row, index) => [names[index] ?? '', ...rowCells(row, reference)]);
  return `${alignedTable(header, cells)}\n\n${targets(reference, arbitrage)}`;
}

function rowCells(row: readonly Measured[], reference: readonly Measured[]): string[] {
  const refuted = row.filter((each) => each.refuted).length;
  const answered = `${row.filter((each) => each.legs !== undefined).length}/${row.length}`;
  // The time to find nothing is not compared.
  const times = known(row.map(({ ms, legs }) => (legs === undefined ? undefined : ms)));
  const ratios = known(
    row.map(({ ms, legs }, index) =>
      legs === undefined ? undefined : ms / (reference[index]?.ms ?? Number.NaN),
    ),
  );
  const gaps = known(row.map(({ gapBps }) => gapBps));
  const behind = known(row.map(({ behindBps }) => behindBps));
  return [
    refuted === 0 ? answered : `${answered}, ${refuted} refuted`,
    short(median(times)),
    short(percentile(times, 0.95)),
    ratios.length === 0 ? '–' : `${short(median(ratios))}×`,
    short(median(gaps)),
    short(percentile(gaps, 0.9)),
    short(Math.max(...gaps)),
    short(percentile(known(row.map(({ provenGapBps }) => provenGapBps)), 0.9)),
    short(Math.max(...behind)),
    short(median(known(row.map(({ legs }) => legs)))),
  ];
}

function targets(reference: readonly Measured[], arbitrage: boolean): string {
  if (arbitrage) {
    const behind = Math.max(...known(reference.map(({ behindBps }) => behindBps)));
    return `At most ${BEHIND_BPS} Bps behind the best answer of any router: ${verdict(behind, BEHIND_BPS)}.`;
  }
  const gaps = known(reference.map(({ gapBps }) => gapBps));
  return (
    `Median gap at most ${GAP_MEDIAN_BPS} Bps: ${verdict(median(gaps), GAP_MEDIAN_BPS)}. ` +
    `p90 at most ${GAP_P90_BPS} Bps: ${verdict(percentile(gaps, 0.9), GAP_P90_BPS)}.`
  );
}

function verdict(figure: number, most: number): string {
  return figure <= most ? 'met' : 'MISSED';
}

function known(figures: readonly (number | undefined)[]): number[] {
  return figures.filter((figure) => figure !== undefined);
}

/** The times of quotes before and after a block. */
export function blocksTable(title: string, { coldMs, firstMs, warmMs, putMs }: BlockTimes): string {
  const cells = [
    ['the first quote of a pair since the market was made', coldMs],
    ['the first quote after a block that changed ten pools', firstMs],
    ['the same quote again', warmMs],
    ["putting a block's ten pools into the market", putMs],
  ] as const;
  return alignedTable(
    [title, 'ms', 'p95'],
    cells.map(([what, times]) => [what, short(median(times)), short(percentile(times, 0.95))]),
  );
}
