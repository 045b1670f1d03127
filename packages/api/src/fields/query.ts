/** A query string that was read. `values`: the decoded parameters by name. */
export type ReadQuery = {
  readonly values: ReadonlyMap<string, string>;
  /** Names that are given more than once. */
  readonly repeated: readonly string[];
  /** Parts whose percent-encoding is wrong, as given. */
  readonly malformed: readonly string[];
};

const NO_QUERY: ReadQuery = { values: new Map(), repeated: [], malformed: [] };

/** Reads a query string (without the question mark) in form encoding. Never throws. */
export function readQuery(text: string): ReadQuery {
  if (text === '') return NO_QUERY;
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  const decoded = /[%+]/.test(text) ? decodedPart : plainPart;
  const malformed: string[] = [];
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decoded(equals < 0 ? part : part.slice(0, equals));
    const value = decoded(equals < 0 ? '' : part.slice(equals + 1));
    if (name === undefined || value === undefined) malformed.push(part);
    else if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return { values, repeated: [...repeated], malformed };
}

function plainPart(text: string): string | undefined {
  return text;
}

function decodedPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
