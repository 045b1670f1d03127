/**
 * The name that was probably meant: the nearest one within two typing errors, or one that differs only in letter
 * case.
 */
export function nearestName(given: string, names: Iterable<string>): string | undefined {
  if (given.length > 32) return undefined;
  let nearest: string | undefined;
  let nearestDistance = 3;
  for (const name of names) {
    const distance = name.toLowerCase() === given.toLowerCase() ? 0 : editDistance(given, name);
    if (distance < nearestDistance && distance < name.length / 2) {
      nearest = name;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
