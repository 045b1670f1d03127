import type { NewsOf } from '../events/news.ts';

/** What every change of a plan works with: the service's clock, and what others are told of a change. */
export type ChangeParts = { readonly now: () => Date; readonly newsOf: NewsOf };
