/**
 * The name that was probably meant: the nearest one within two typing errors, or one that differs only in letter
 * case.
 *
 * @example
 * ```ts
 * import { nearestName } from '@fairway/api';
 *
 * nearestName('amuont', ['amount', 'asset']); // 'amount'
 * ```
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

/** What callers who know other services call some things, and our names for them. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  status: ['outcome'],
  result: ['outcome'],
  memo: ['metadata', 'note'],
  description: ['metadata', 'note', 'label'],
  tolerance: ['slippageBps'],
  slippageTolerance: ['slippageBps'],
  maxSlippage: ['slippageBps'],
  maxSlippageBps: ['slippageBps'],
};

/**
 * The name of a field that was probably meant. It may be misspelt, or only its first or last words were given. Others
 * may also call it otherwise.
 *
 * @example
 * ```ts
 * import { meantName } from '@fairway/api';
 *
 * meantName('slippage', ['amount', 'slippageBps']); // 'slippageBps'
 * meantName('status', ['outcome', 'txHash']); // 'outcome'
 * ```
 */
export function meantName(given: string, names: readonly string[]): string | undefined {
  return nearestName(given, names) ?? longerName(given, names) ?? otherName(given, names);
}

/** The only name that begins or ends with the given words. */
function longerName(given: string, names: readonly string[]): string | undefined {
  if (given.length < 4 || given.length > 32) return undefined;
  const asLast = `${given.slice(0, 1).toUpperCase()}${given.slice(1)}`;
  const [found, ...others] = names.filter((name) => {
    const isFirst = name.startsWith(given) && /[A-Z]/.test(name.slice(given.length, given.length + 1));
    return isFirst || name.endsWith(asLast);
  });
  return others.length === 0 ? found : undefined;
}

function otherName(given: string, names: readonly string[]): string | undefined {
  const ours = Object.hasOwn(OTHER_NAMES, given) ? OTHER_NAMES[given] : undefined;
  return ours?.find((name) => names.includes(name));
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
