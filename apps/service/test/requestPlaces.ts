/**
 * Whether a pointer of a Problem leads to a value of the request, or to a missing member of a value. `target`: path
 * and query. `body`: the parsed body.
 */
export function isPlace(pointer: string, target: string, body: unknown): boolean {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const query = target.split('?').slice(1).join('?');
  if (parts[0] === 'query' && query !== '') return parts.length <= 2;
  let place = body;
  return parts.every((part) => {
    if (typeof place !== 'object' || place === null) return false;
    // Pointers shorten names that are longer than any field's name.
    const entry = Object.entries(place).find(([name]) => name.slice(0, 64).toWellFormed() === part);
    place = entry?.[1];
    return true;
  });
}
