/** What something is after a change, and the members that changed, as they were. */
export type Change = { readonly object: object; readonly previous?: object };

/** The members that differ, as they were; null for one that is new. */
export function previousOf(before: object, after: object): object {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changed = names.filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(now.get(name)));
  return Object.fromEntries(changed.map((name) => [name, old.get(name) ?? null]));
}
