/**
 * The whole number that an option of a program gives.
 * @throws for anything else: a program that counts to no number ends at once, without a fault and without a test.
 */
export function wholeNumber(option: string, text: string, least: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least)) throw new Error(`--${option} must be a whole number of at least ${least}: ${text}`);
  return number;
}
