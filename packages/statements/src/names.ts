/**
 * A name as it is compared: without accents, punctuation, letter case and the order of spaces. Equal for `Zoë  O'Neil` and `ZOE O NEIL`.
 */
export function comparableName(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
