/** A page of a list. `nextCursor` is where the next one begins. */
export type Page<Item> = { readonly data: readonly Item[]; readonly nextCursor?: string };

/** A list of any length: read as items, or as pages to keep the place. Each loop reads it anew. */
export type List<Item> = AsyncIterable<Item> & {
  pages(): AsyncIterableIterator<Page<Item>>;
};

/** The list whose pages a function reads; without a cursor it is the first one. */
export function listOf<Item>(readPage: (cursor: string | undefined) => Promise<Page<Item>>): List<Item> {
  async function* pages(): AsyncGenerator<Page<Item>> {
    let cursor: string | undefined;
    for (;;) {
      const page = await readPage(cursor);
      // A list of what happens has a cursor on its last page too, and that page is empty.
      if (cursor !== undefined && page.data.length === 0) return;
      yield page;
      if (page.nextCursor === undefined || page.nextCursor === cursor) return;
      cursor = page.nextCursor;
    }
  }
  async function* items(): AsyncGenerator<Item> {
    for await (const { data } of pages()) yield* data;
  }
  return { pages, [Symbol.asyncIterator]: items };
}

/** The query of a list's first page, or of the page at a cursor. */
export function from<Query extends object>(query: Query, cursor: string | undefined): Query {
  return cursor === undefined ? query : { ...query, cursor };
}
