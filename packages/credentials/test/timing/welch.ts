/**
 * Welch's t of two samples: how many standard errors their means are apart. Below 4.5 in size, 100,000 pairs do not
 * tell two kinds of work apart. The threshold is that of Goodwill et al. (2011) for leaks through side channels.
 */
export function welchT(left: readonly number[], right: readonly number[]): number {
  const [a, b] = [momentsOf(left), momentsOf(right)];
  return (a.mean - b.mean) / Math.sqrt(a.variance / left.length + b.variance / right.length);
}

function momentsOf(sample: readonly number[]): { mean: number; variance: number } {
  let [mean, squares] = [0, 0];
  sample.forEach((value, index) => {
    const off = value - mean;
    mean += off / (index + 1);
    squares += off * (value - mean);
  });
  return { mean, variance: squares / (sample.length - 1) };
}
