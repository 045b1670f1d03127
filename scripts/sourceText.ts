const COMMENT = String.raw`\/\*[\s\S]*?\*\/|\/\/[^\n]*`;
const STRING = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`;
const TEMPLATE = String.raw`\x60(?:\\[\s\S]|\$\{(?:[^{}]|\{[^{}]*\})*\}|[^\x60\\])*\x60`;
const PATTERN = String.raw`(?<=[=>(,:!&|?[]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[dgimsuvy]*`;
const IMPORT = String.raw`^(?:import\b[^'"\x60;]*?|export (?:type )?[{*][^'"\x60;]*?)\bfrom\s*(['"])(?<from>[^'"]+)\1|^import\s*(['"])(?<effect>[^'"]+)\3|\bimport\(\s*(['"])(?<dynamic>[^'"]+)\5`;

const QUIET = new RegExp([COMMENT, STRING, TEMPLATE, PATTERN].join('|'), 'g');
const TOKEN = new RegExp([IMPORT, COMMENT, STRING, TEMPLATE, PATTERN].join('|'), 'gm');
const PLACEHOLDER = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;

/**
 * Lists what a source file imports: statically, dynamically, for its types alone, and by `export … from`; with
 * line numbers from 1. Imports that stand in comments, strings and templates do not count.
 */
export function importsOf(source: string): { specifier: string; lineNumber: number }[] {
  return [...source.matchAll(TOKEN)].flatMap(({ groups, index }) => {
    const specifier = groups?.['from'] ?? groups?.['effect'] ?? groups?.['dynamic'];
    if (specifier === undefined) return [];
    return [{ specifier, lineNumber: source.slice(0, index).split('\n').length }];
  });
}

/** Lists the comments of a source file with their marks, each with the index where it begins. */
export function commentsOf(source: string): { text: string; index: number }[] {
  return [...source.matchAll(QUIET)].flatMap(({ 0: text, index }) =>
    text.startsWith('//') || text.startsWith('/*') ? [{ text, index }] : [],
  );
}

/** Lists the texts of a source's strings, without those of templates that compute something. */
export function stringsOf(source: string): string[] {
  return [...source.matchAll(QUIET)].flatMap(([text]) => (/^['"\x60]/.test(text) ? [text.slice(1, -1)] : []));
}

/**
 * The code without comments, and without the text of strings, templates and patterns. The code that a template
 * computes stays, and lines stay lines.
 */
export function codeOf(source: string): string {
  return source.replace(QUIET, (text) => {
    const lines = text.replace(/[^\n]/g, '');
    if (text.startsWith('`')) return `${(text.match(PLACEHOLDER) ?? []).join(' ')}${lines}`;
    return text.startsWith('/') ? lines : `''${lines}`;
  });
}
