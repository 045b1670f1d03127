/**
 * Solves H x = b in place for a symmetric positive definite H (row-major, `size` by `size`, lower triangle read and
 * overwritten); `b` becomes x. A pivot that rounding made vanish leaves its unknown at 0.
 */
export function solveCholesky(matrix: Float64Array, right: Float64Array, size: number): void {
  for (let column = 0; column < size; column += 1) {
    const at = column * size;
    let pivot = matrix[at + column] as number;
    const least = pivot * 1e-13;
    for (let k = 0; k < column; k += 1) pivot -= (matrix[at + k] as number) ** 2;
    const root = pivot > least ? Math.sqrt(pivot) : Number.POSITIVE_INFINITY;
    matrix[at + column] = root;
    for (let row = column + 1; row < size; row += 1) {
      const start = row * size;
      let sum = matrix[start + column] as number;
      for (let k = 0; k < column; k += 1) sum -= (matrix[start + k] as number) * (matrix[at + k] as number);
      matrix[start + column] = sum / root;
    }
  }
  for (let row = 0; row < size; row += 1) {
    let sum = right[row] as number;
    for (let k = 0; k < row; k += 1) sum -= (matrix[row * size + k] as number) * (right[k] as number);
    right[row] = sum / (matrix[row * size + row] as number);
  }
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = right[row] as number;
    for (let k = row + 1; k < size; k += 1) sum -= (matrix[k * size + row] as number) * (right[k] as number);
    right[row] = sum / (matrix[row * size + row] as number);
  }
}
