import type { Access } from '@fairway/wire';

/** Which paths exist, for requests that no route takes. */
export type PathTable = {
  add(url: string, method: string | readonly string[], access: Access | undefined): void;
  /** Methods that a path takes, sorted; none when there is no such path. */
  methodsOf(path: string): readonly string[];
  /** Who may learn whether a path exists: paths of the API are for those with a credential. */
  accessOf(path: string): Access;
};

/** Makes an empty table, filled as routes are registered. */
export function createPathTable(): PathTable {
  const entries = new Map<string, { shape: RegExp; methods: Set<string>; access: Access | undefined }>();
  const find = (path: string) => [...entries.values()].find(({ shape }) => shape.test(path));

  return {
    add(url, method, access) {
      const entry = entries.get(url) ?? { shape: shapeOf(url), methods: new Set(), access };
      for (const name of [method].flat()) entry.methods.add(name);
      entries.set(url, entry);
    },
    methodsOf: (path) => [...(find(path)?.methods ?? [])].sort(),
    accessOf(path) {
      const access = find(path)?.access;
      if (access !== undefined) return access.kind === 'OPEN' ? access : { kind: 'AUTHENTICATED' };
      return /^\/v\d+(\/|$)/.test(path) ? { kind: 'AUTHENTICATED' } : { kind: 'OPEN' };
    },
  };
}

function shapeOf(url: string): RegExp {
  const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}$`);
}

/** The decoded path of a request's URL; as given where it cannot be decoded. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
