const WEIGHTS = [3, 7, 1];

/** The sum of digits with the weights 3, 7, 1, repeated. Several countries compute check digits with it. */
export function weightedSum(digits: string): number {
  return Array.from(digits).reduce((sum, digit, index) => sum + Number(digit) * (WEIGHTS[index % 3] ?? 0), 0);
}
