/**
 * A name as it is compared: without accents, punctuation, letter case and the order of spaces. Equal for `Zoë  O'Neil` and `ZOE O NEIL`.
 */
function comparableName(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Whether two names are the same as far as they can be compared; undefined where one is absent, or has neither letters nor digits. */
export function areSameName(one: string | undefined, other: string | undefined): boolean | undefined {
  const [a, b] = [comparableName(one ?? ''), comparableName(other ?? '')];
  return a === '' || b === '' ? undefined : a === b;
}
