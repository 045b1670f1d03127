import { setTimeout as pause } from 'node:timers/promises';

import type { Logger } from 'pino';
import type { RateSource } from '../config/rates.ts';
import type { CurrentRate, RateFor } from './currentRate.ts';
import { type RateFailure, readRate } from './readRate.ts';

/** The rates of corridors. */
export type Rates = { readonly rateFor: RateFor; close(): Promise<void> };

/** What reading rates needs, and whom it tells. */
export type RatesGround = {
  nowMs(): number;
  readonly log: Logger;
  readonly metrics: {
    onRateFailure(corridor: string, failure: RateFailure): void;
    /** From now on, reads at every scrape how old the rate of a corridor is; undefined while there is none. */
    observeRate(corridor: string, ageMs: () => number | undefined): void;
  };
};

const TIMEOUT_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const SHORTEST_PAUSE_MS = 250;
/** How often a rate is read while it is young enough: one reading that fails does not end it. */
const READINGS_IN_ITS_LIFE = 3;

/** Starts to read the rates, each again and again. Nobody waits for a rate: until it is there, there is none. */
export function startRates(sources: readonly RateSource[], ground: RatesGround): Rates {
  const closing = new AbortController();
  const feeds = sources.map((source) => startFeed(source, ground, closing.signal));
  return {
    rateFor: ({ id, target }) => {
      const feed = feeds.find(({ source: { corridorId, chainId, token, currency } }) => {
        const isSame = chainId === target.chainId && token === target.token && currency === target.currency;
        return corridorId === id && isSame;
      });
      return feed?.current();
    },
    async close() {
      closing.abort();
      await Promise.all(feeds.map(({ ended }) => ended));
    },
  };
}

type Feed = {
  readonly source: RateSource;
  current(): CurrentRate | undefined;
  readonly ended: Promise<void>;
};

function startFeed(source: RateSource, { nowMs, log, metrics }: RatesGround, close: AbortSignal): Feed {
  const { corridorId, url, maxAgeMs } = source;
  const { origin } = new URL(url);
  const feedLog = log.child({ part: 'rates', corridor: corridorId, source: origin });
  let known: CurrentRate | undefined;
  let isFailing = false;

  const ageMs = () => known && nowMs() - known.asOfMs;
  metrics.observeRate(corridorId, ageMs);

  async function readOnce(): Promise<void> {
    // A rate is from before its answer, and no younger than the question.
    const askedMs = nowMs();
    const reading = await readRate(source, TIMEOUT_MS, close);
    if (close.aborted) return;
    if (!reading.ok) {
      metrics.onRateFailure(corridorId, reading.failure);
      if (!isFailing)
        feedLog.warn(
          { failure: reading.failure },
          `The rate of a corridor cannot be read: ${reading.detail}. Estimates end when the last rate is older than ${maxAgeMs / 1000} s`,
        );
    } else {
      known = { rate: reading.rate, asOfMs: askedMs - reading.ageMs, source: origin };
      if (isFailing) feedLog.info('The rate of a corridor is read again');
    }
    isFailing = !reading.ok;
  }

  async function readOn(): Promise<void> {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, maxAgeMs / READINGS_IN_ITS_LIFE));
    while (!close.aborted) {
      await readOnce();
      await pause(pauseMs, undefined, { signal: close, ref: false }).catch(() => undefined);
    }
  }

  return {
    source,
    current: () => {
      const age = ageMs();
      return age !== undefined && Math.abs(age) <= maxAgeMs ? known : undefined;
    },
    ended: readOn(),
  };
}
