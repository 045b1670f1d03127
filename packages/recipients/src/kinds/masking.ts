import { wordsOf } from './spelling.ts';

/**
 * The last four characters of a number, or the last two if it has fewer than eight. Four of five digits would leave
 * only ten numbers to try. Never more than half of the number.
 *
 * @example
 * ```ts
 * import { end } from '@fairway/recipients';
 *
 * end('12345678'); // '5678'
 * ```
 */
export function end(number: string): string {
  const characters = Array.from(number);
  const shown = characters.length < 8 ? Math.min(2, Math.floor(characters.length / 2)) : 4;
  return characters.slice(characters.length - shown).join('');
}

/**
 * The initials of a name with stops, such as "J. D."; a * where an initial would say the whole name.
 *
 * @example
 * ```ts
 * import { initials } from '@fairway/recipients';
 *
 * initials('Jo Citizen'); // 'J. C.'
 * ```
 */
export function initials(name: string): string {
  return wordsOf(name).map(initial).join(' ');
}

/**
 * In scripts without letter case one character can be a whole name. A word of one letter can be one in any script.
 */
function initial(word: string): string {
  const [first = '', ...rest] = word;
  const [upper = ''] = first.toUpperCase();
  return rest.length === 0 || upper === first.toLowerCase() ? '*' : `${upper}.`;
}
