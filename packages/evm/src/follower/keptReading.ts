import type { MarketSource } from '../market/missedBlocks.ts';
import { createMarketReading, type MarketReading, type ReadingOptions } from '../market/reading.ts';
import type { SavedMarket } from '../snapshot/saveMarket.ts';
import type { Head, LeftOut, ReadingProgress, TokenBehaviours } from '../types.ts';

/** Pools are being read. Pools that are read are kept, also when the reading fails. */
export type ReadingEvent = {
  readonly type: 'READING';
  readonly head: Head;
  readonly progress: ReadingProgress;
};

type WholeMarket = NonNullable<ReadingOptions['begun']> & { readonly leftOut: readonly LeftOut[] };

/** Reads whole markets. A reading that fails is kept, and saved as it grows: the next one, also of another run, goes on with it. */
export function createKeptReading(
  source: MarketSource,
  behaviours: TokenBehaviours,
  onEvent: (event: ReadingEvent) => void,
  save: (market: SavedMarket) => Promise<void>,
) {
  let reading: MarketReading | undefined;
  let newest: Head | undefined;
  let savedPools = 0;

  /** Saves a reading each time that it has grown by a share, so that all saves together stay short. */
  async function onPart(part: MarketReading): Promise<void> {
    const head = part.state.head();
    if (head !== undefined) onEvent({ type: 'READING', head, progress: part.progress() });
    const poolCount = part.state.pools.size;
    if (poolCount - savedPools < savedPools / 4) return;
    savedPools = poolCount;
    await save(partToSave(part));
  }

  return {
    /** Begins with what an earlier run had read. */
    resume(begun: NonNullable<ReadingOptions['begun']>): void {
      reading = createMarketReading(source, { behaviours, begun, onPart });
    },
    /** Notes the newest head, which a reading moves to when its own gets old. */
    heard(head: Head): void {
      newest = head;
    },
    /** Reads on to the end. */
    async finish(head: Head): Promise<WholeMarket> {
      reading ??= createMarketReading(source, { behaviours, onPart });
      await reading.proceed(head, () => newest ?? head);
      const whole = { state: reading.state, tokens: reading.tokens(), leftOut: reading.leftOut() };
      reading = undefined;
      savedPools = 0;
      return whole;
    },
    /** Nothing until the pools are found: how many requests that takes is not known. */
    progress(): { reading?: ReadingProgress } {
      const progress = reading?.progress();
      return progress === undefined || progress.pools === 0 ? {} : { reading: progress };
    },
    toSave: (): SavedMarket | undefined => reading && partToSave(reading),
  };
}

function partToSave({ state, tokens }: MarketReading): SavedMarket {
  return { state, tokens: tokens().map(({ address }) => address), isWhole: false };
}
