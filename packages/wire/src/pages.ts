import { type TSchema, Type } from 'typebox';
import { LIMITS } from './fields.ts';

/** The parameter for how many items a page has. */
export const pageLimit = (items: string) =>
  Type.Optional(
    Type.Integer({
      ...LIMITS.pageSize,
      description: `The most ${items} on a page. A page of 256 KiB ends earlier; nextCursor continues it.`,
    }),
  );

/** The parameter for where a page begins. */
export const PageCursor = Type.Optional(Type.String({ description: 'nextCursor of the page before.' }));

/** The parameters of a list in pages. */
export const pageQuery = (items: string) => ({ limit: pageLimit(items), cursor: PageCursor });

/** The answer to a request for a page; `order` is that of its items. */
export const pageOf = <Item extends TSchema>(item: Item, order: string, description: string) =>
  Type.Object(
    {
      data: Type.Array(item, { description: order }),
      nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
    },
    { description },
  );
