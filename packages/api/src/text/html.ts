/** Text that is HTML already. */
export type Html = { readonly html: string };
type Part = Html | string | number | undefined | readonly Html[];

/**
 * Template tag: every value that is not Html itself is escaped.
 *
 * @example
 * ```ts
 * import { html } from '@fairway/api';
 *
 * const text = html`<p>${'a < b'}</p>`;
 * ```
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.map((text, index) => text + written(parts[index])).join('') };
}

function written(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return 'html' in part ? part.html : part.map((item) => item.html).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * The text with what would be markup written as entities.
 *
 * @example
 * ```ts
 * import { escaped } from '@fairway/api';
 *
 * escaped('a < b'); // 'a &lt; b'
 * ```
 */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
