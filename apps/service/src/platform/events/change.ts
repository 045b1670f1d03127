/** An object after a change, and the former values of the members that changed. */
export type Change = { readonly object: object; readonly previous?: object };

/** The former values of the members that differ; null for a new member. */
export function previousOf(before: object, after: object): object {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changed = names.filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(now.get(name)));
  return Object.fromEntries(changed.map((name) => [name, old.get(name) ?? null]));
}
