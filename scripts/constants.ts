import { codeOf } from './sourceText.ts';

/** A constant whose spelling does not say what it is. */
export type SpellingFault = { name: string; lineNumber: number; message: string };

const DECLARATION = /^(?:export )?const (\w+)\b/gm;
const UPPER_CASE = /^[A-Z][A-Z0-9_]*$/;
const PASCAL_CASE = /^[A-Z][A-Za-z0-9]*$/;
const NUMBER = /\b(?:0[xb][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e-?\d+)?)n?\b/gi;
const KEY = /(?<=[{,]\s*)\w+(?=:)/g;
const COLLECTION = /\bnew (?:Set|Map)(?:<[^(]*>)?\(\[/g;
const WORDS =
  /\b(?:as|const|satisfies|readonly|keyof|typeof|string|number|bigint|boolean|unknown|true|false|null|undefined|new)\b/g;
const EMPTY = /^(?:\[\]|\{\}|new \w+(?:<[^(]*>)?\(\))/;

/**
 * Lists the module-level constants whose spelling does not say what they are. Data known when written is UPPER_CASE,
 * a function is camelCase, a TypeBox schema is PascalCase. Data is known when written if it holds only literals and
 * UPPER_CASE constants and its file does not change it. The result of a call is not judged.
 */
export function spellingFaults(source: string): SpellingFault[] {
  const code = codeOf(source);
  return [...code.matchAll(DECLARATION)].flatMap(({ index, 1: name = '' }) => {
    const value = initializerAt(code, index);
    const message = faultOf(name, value, code);
    return message === undefined
      ? []
      : [{ name, lineNumber: code.slice(0, index).split('\n').length, message }];
  });
}

function faultOf(name: string, value: string, code: string): string | undefined {
  if (value.startsWith('Type.')) {
    return PASCAL_CASE.test(name) ? undefined : `${name} is a schema: spell it in PascalCase`;
  }
  if (isFunction(value)) {
    return UPPER_CASE.test(name) ? `${name} is a function: spell it in camelCase` : undefined;
  }
  // JSON Schemas are spelt as TypeBox schemas are.
  const isSchemaName = PASCAL_CASE.test(name) && value.startsWith('{');
  if (UPPER_CASE.test(name) || isSchemaName || !isData(value) || isChanged(name, code)) return undefined;
  return `${name} is data known when written: spell it in UPPER_CASE, or make it by a function if it changes`;
}

/** The text between the equals sign of the declaration at an index and the semicolon that ends it. */
function initializerAt(code: string, index: number): string {
  const start = index + code.slice(index).search(/\s=\s/) + 3;
  let depth = 0;
  for (let end = start; end < code.length; end += 1) {
    const character = code[end] ?? '';
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (character === ';' && depth === 0) return code.slice(start, end).trim();
  }
  return code.slice(start).trim();
}

/** True for arrow functions and function expressions; `value` is code without strings. */
function isFunction(value: string): boolean {
  if (/^(?:async )?(?:function\b|\w+ =>|<)/.test(value)) return true;
  const parameters = /^(?:async )?(?=\()/.exec(value)?.[0];
  if (parameters === undefined) return false;
  let depth = 0;
  for (let end = parameters.length; end < value.length; end += 1) {
    if (value[end] === '(') depth += 1;
    if (value[end] === ')') depth -= 1;
    if (depth === 0) return /^(?::[^;]*?)? =>/.test(value.slice(end + 1));
  }
  return false;
}

/** True when nothing but literals and UPPER_CASE or type names is left in the code of a value. */
function isData(value: string): boolean {
  if (EMPTY.test(value)) return false;
  const rest = value.replace(COLLECTION, '([').replace(KEY, '').replace(NUMBER, '').replace(WORDS, '');
  const calls = /[\w>\])]\s*\(/.test(rest.replace(/\bRegExp\(/g, '('));
  const hasFunction = /=>|\bfunction\b|\)\s*(?::[^{}]*)?\{/.test(rest);
  return !calls && !hasFunction && !/(?<![.\w])[a-z_]\w*/.test(rest);
}

/** True when the code assigns to a member of a constant, or calls what changes a collection. */
function isChanged(name: string, code: string): boolean {
  const member = String.raw`\b${name}(?:\.\w+|\[[^\]\n]*\])`;
  return [
    String.raw`${member}+ (?:\*\*|<<|>>>?|&&|\|\||\?\?|[-+*/%&|^])?=(?![=>])`,
    String.raw`${member}+(?:\+\+|--)`,
    String.raw`\b${name}\.(?:push|unshift|splice|pop|shift|sort|reverse|fill|set|add|delete|clear)\(`,
    String.raw`\b(?:Object\.assign\(|delete )${name}\b`,
  ].some((pattern) => new RegExp(pattern).test(code));
}
