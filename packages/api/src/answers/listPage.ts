import { LIMITS } from '@fairway/wire';
import type { Outcome } from './problemFacts.ts';
import type { Answer } from './answer.ts';
import { cursorOf } from './cursor.ts';

/** A part of a list. `next`: the `after` of the next part; undefined at the end of the list. */
export type ListPart<Item> = { readonly items: readonly Item[]; readonly next: string | undefined };

/** Which part of a list to answer: at most `limit` items, from the start of the list or behind `after`. */
export type ListPartAsk = { readonly limit: number; readonly after: string | undefined };

/** How many items are read at once. The thread serves other requests between two reads. */
const READ_AT_ONCE = 20;

/** A list whose pages are answered: how it is read, and how an item is written. */
export type PagedList<Item> = {
  readonly seal: string;
  /** Reads a part of the list. */
  read(ask: ListPartAsk): Promise<Outcome<ListPart<Item>>>;
  bodyOf(item: Item): unknown;
  /** The `after` of the part that follows an item. */
  placeOf(item: Item): string;
};

/**
 * Answers a page of a list. The page ends at the limit of items, or earlier, before the item that would make it longer
 * than the limit of bytes. A page has at least one item, if there is one. The cursor continues after the last item.
 *
 * @example
 * ```ts
 * import { done, pageAnswer, sealOf } from '@fairway/api';
 *
 * const list = {
 *   seal: sealOf('numbers', {}),
 *   read: async () => done({ items: [1, 2], next: undefined }),
 *   bodyOf: (item: number) => ({ item }),
 *   placeOf: (item: number) => String(item),
 * };
 * const answer = await pageAnswer({ limit: 20, after: undefined }, list);
 * ```
 */
export async function pageAnswer<Item>(
  { limit, after }: ListPartAsk,
  { seal, read, bodyOf, placeOf }: PagedList<Item>,
): Promise<Answer<never>> {
  const texts: string[] = [];
  let bytes = 0;
  let place = after;
  for (;;) {
    const part = await read({ limit: Math.min(READ_AT_ONCE, limit - texts.length), after: place });
    if (!part.ok) return part;
    const { items, next } = part.value;
    for (const item of items) {
      const text = JSON.stringify(bodyOf(item));
      bytes += Buffer.byteLength(text);
      if (texts.length > 0 && bytes > LIMITS.pageBytes) return pageOf(texts, seal, place);
      texts.push(text);
      place = placeOf(item);
    }
    if (next === undefined) return pageOf(texts, seal, undefined);
    if (texts.length >= limit) return pageOf(texts, seal, place);
  }
}

function pageOf(texts: readonly string[], seal: string, place: string | undefined): Answer<never> {
  const data = `"data":[${texts.join(',')}]`;
  if (place === undefined) return { ok: true, json: `{${data}}` };
  return { ok: true, json: `{${data},"nextCursor":${JSON.stringify(cursorOf(seal, place))}}` };
}
