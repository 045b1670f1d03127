import type { Access } from '@fairway/wire';

/** The paths that exist, and their methods. Used to answer requests without a route. */
export type PathTable = {
  add(url: string, method: string | readonly string[], access: Access | undefined): void;
  /** The methods of a path, sorted; empty when the path does not exist. */
  methodsOf(path: string): readonly string[];
  /** Who may learn whether a path exists. For paths of the API this needs a credential. */
  accessOf(path: string): Access;
};

/** Makes an empty table. `add` is called for each registered route. */
export function createPathTable(): PathTable {
  const entries = new Map<string, { shape: RegExp; methods: Set<string>; access: Access | undefined }>();
  const find = (path: string) => [...entries.values()].filter(({ shape }) => shape.test(path));

  return {
    add(url, method, access) {
      const entry = entries.get(url) ?? { shape: shapeOf(url), methods: new Set(), access };
      for (const name of [method].flat()) entry.methods.add(name);
      entries.set(url, entry);
    },
    methodsOf: (path) => [...new Set(find(path).flatMap(({ methods }) => [...methods]))].sort(),
    accessOf(path) {
      const access = find(path)[0]?.access;
      if (access !== undefined) return access.kind === 'OPEN' ? access : { kind: 'AUTHENTICATED' };
      return /^\/v\d+(\/|$)/.test(path) ? { kind: 'AUTHENTICATED' } : { kind: 'OPEN' };
    },
  };
}

function shapeOf(url: string): RegExp {
  const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}$`);
}

/** The decoded path of a request's URL, or the path as given when it cannot be decoded. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
