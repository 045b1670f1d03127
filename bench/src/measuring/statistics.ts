/** The median of some figures: the one in the middle, or the mean of the two in the middle. NaN without figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * The figure that a share of all figures does not exceed (nearest rank). `share` is from 0 to 1. NaN without figures.
 */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Three significant digits, without an exponent. */
export function short(figure: number): string {
  if (!Number.isFinite(figure)) return '–';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(figure) || 1)));
  return figure.toFixed(Math.min(digits, 3));
}
