import type { Corridor, Rate, TimeMs } from '@fairway/plan';

/** A rate that may be used now. `source`: the origin of the URL that told it. */
export type CurrentRate = { readonly rate: Rate; readonly asOfMs: TimeMs; readonly source: string };

/** The rate of a corridor; undefined where there is none, or none that is young enough. */
export type RateFor = (corridor: Pick<Corridor, 'id' | 'target'>) => CurrentRate | undefined;
