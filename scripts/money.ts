import { codeOf } from './sourceText.ts';
import type { Finding } from './tidy.ts';

/** The sources that work with amounts of money: as digits and bigints, never as floating point. */
export const MONEY_SOURCE = /^packages\/(plan|store)\/src\/(?!.*\.test\.ts$).*\.ts$/;

/** Names of bigints, which `unitsOf` gives. A quotient of two of them is rounded on purpose; a product is exact. */
const UNITS = String.raw`(?:\w+Units|[A-Z_]+_UNITS)`;

/** Code that turns a value into a number, or works with numbers in ways that round. */
const SUSPECTS: readonly RegExp[] = [
  /\bNumber\b/,
  /\bparse(?:Float|Int)\b/,
  /\bMath\b/,
  /\.to(?:Fixed|Precision|Exponential|LocaleString)\b/,
  /(?:^|[^*])\*\*?(?![*/])/,
  /\//,
  /%/,
  /(?:^|[=(,:?[]|\breturn)\s*\+\s*[\w('"`]/,
  /\b\d[\d_]*(?:\.\d|e\d)/i,
];

/**
 * The names of values that may be numbers: times, sizes, and ids that the operating system or a chain counts.
 * No amount of money may have such a name.
 */
const COUNT = String.raw`(?:\w*?(?:Ms|Seconds|[pP]id|uid|gid|[pP]ort|[rR]evision|[cC]ount|[iI]ndex|[lL]imit|[cC]hainId|[bB]lockNumbers?|[pP]lace|[lL]ength|[vV]ersion|_count|_number|_block)|[A-Z_]*_(?:MS|SECONDS|DAYS))`;
const NUMBER = String.raw`\d[\d_]*`;
const ALLOWED: readonly RegExp[] = [
  new RegExp(String.raw`\bNumber\((?:\w+\.)*${COUNT}\)`, 'g'),
  /\bNumber\.(?:isSafeInteger|isInteger|NaN|POSITIVE_INFINITY|NEGATIVE_INFINITY)\b/g,
  /\bexport (?:type )?\* from\b/g,
  /\bfunction\*/g,
  new RegExp(String.raw`\b(?:\w+\.)*${COUNT} [*/%] (?:${NUMBER}|${COUNT})\b`, 'g'),
  new RegExp(String.raw`\b${NUMBER} \* (?:${NUMBER}|${COUNT})(?![\w.(])`, 'g'),
  new RegExp(String.raw`\bMath\.(?:max|min|floor|ceil)\((?:\d|(?:\.\.\.)?(?:\w+\.)*${COUNT})?(?=[,)])`, 'g'),
  // A product with a bigint is one of bigints: with a number it would throw.
  /(?:\b\d+n \*\*|\*(?: 10n \*\*)?) (?:\d+n\b|BigInt\([^()]*\))/g,
  new RegExp(String.raw`\b${UNITS} [*/%] ${UNITS}\b`, 'g'),
];

/** Lists the lines of a source file on which money could pass through floating point. */
export function moneyFindings(path: string, source: string): Finding[] {
  return codeOf(source)
    .split('\n')
    .flatMap((line, index) => {
      const left = ALLOWED.reduce((code, allowed) => code.replace(allowed, ''), line);
      if (!SUSPECTS.some((suspect) => suspect.test(left))) return [];
      const message = `${line.trim()}: money is bigint or digits; name what is counted so that it cannot be money`;
      return [{ place: `${path}:${index + 1}`, message }];
    });
}
