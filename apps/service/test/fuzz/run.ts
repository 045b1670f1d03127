import { type BatchPlace, type Failure, runBatch, runLanes, seedOf } from './batches.ts';
import { JOURNEYS } from './acts.ts';
import { type Census, createCensus } from './census.ts';
import { createWire } from './connection.ts';
import { type Cast, type Ground, makeCast, makeGround } from './ground.ts';
import { createCases } from './requests.ts';
import { createSequences, playSequence, type Stage } from './sequences.ts';
import { type FuzzedService, startFuzzedService } from './serviceProcess.ts';
import { type Trial, tryCase } from './trial.ts';

/** How many cases of each kind. */
export type Counts = { readonly requests: number; readonly sequences: number };

/** A run of the fuzzer on a service of its own. */
export type FuzzRun = {
  readonly service: FuzzedService;
  readonly census: Census;
  readonly cast: Cast;
  /** Makes new plans for requests to name, so that a round does not depend on what an earlier one changed. */
  newGround(): Promise<Ground>;
  /** Takes every journey once, unchanged: so each operation is served at least once. */
  journeys(ground: Ground): Promise<readonly string[]>;
  /** Requests that neither write nor reach a chain, and then sequences that do. */
  round(ground: Ground, seed: number, counts: Counts): Promise<readonly Failure[]>;
  /** Runs a single case again. */
  again(ground: Ground, place: BatchPlace): Promise<readonly Failure[]>;
  /** Counts the events of callers in the histories that no request may change. */
  changeCounts(ground: Ground): Promise<readonly number[]>;
  /** Ends everything. Returns what was found in the log and about the process. */
  close(): Promise<readonly string[]>;
};

/** Cases beside each other. Sequences wait for the chain most of the time. */
const LANES = { requests: 6, sequences: 8 } as const;

/** Starts a service, and makes the organisations that the fuzzer asks as. */
export async function startFuzzRun(): Promise<FuzzRun> {
  const service = await startFuzzedService();
  const wire = createWire(Number(new URL(service.url).port));
  const census = createCensus();
  const cast = await makeCast(service);
  const markers = [...cast.readers, ...cast.actors].map(({ marker }) => marker);
  const trial: Trial = { wire, census, bench: { description: cast.description, markers } };
  const stageOf = (ground: Ground): Stage => ({ trial, ground, service });

  return {
    service,
    census,
    cast,
    newGround: () => makeGround(service, cast),
    async journeys(ground) {
      const faults: string[] = [];
      for (const acts of JOURNEYS)
        await playSequence(stageOf(ground), acts).catch((error: unknown) => faults.push(String(error)));
      return faults;
    },
    async round(ground, seed, counts) {
      const requests = await runLanes(
        { kind: 'requests', seed: seedOf(seed, 0), count: counts.requests, lanes: LANES.requests },
        createCases(ground),
        (given) => tryCase(trial, given),
      );
      const sequences = await runLanes(
        { kind: 'sequences', seed: seedOf(seed, 1), count: counts.sequences, lanes: LANES.sequences },
        createSequences(ground),
        (acts) => playSequence(stageOf(ground), acts),
      );
      return [...requests.failures, ...sequences.failures];
    },
    async again(ground, place) {
      const { failure } =
        place.kind === 'requests'
          ? await runBatch(place, createCases(ground), 1, (given) => tryCase(trial, given))
          : await runBatch(place, createSequences(ground), 1, (acts) => playSequence(stageOf(ground), acts));
      return failure === undefined ? [] : [failure];
    },
    changeCounts: (ground) => Promise.all(ground.readers.map(countChanges)),
    async close() {
      const strays = wire.strays();
      wire.close();
      const found = await service.close();
      return strays === 0 ? found : [...found, `Bytes that nobody had asked for came ${strays} times.`];
    },
  };
}

/** Counts what callers did to the plans and recipients of an organisation; what the service does by itself does not count. */
async function countChanges({ organisation: { ask }, plans }: Ground['readers'][number]): Promise<number> {
  const histories = await Promise.all(
    plans.map(({ planId }) => ask(`/v1/payments/${planId}/events?limit=100`)),
  );
  const list = await ask('/v1/payments?limit=100');
  const events = histories.flatMap(({ text }) => (JSON.parse(text) as { data: { actor: string }[] }).data);
  const { data } = JSON.parse(list.text) as { data: readonly object[] };
  const kept = JSON.parse((await ask('/v1/recipients?limit=100')).text) as {
    data: readonly { revision: number }[];
  };
  const revisions = kept.data.reduce((sum, { revision }) => sum + revision, 0);
  return events.filter(({ actor }) => actor !== 'service').length + data.length + revisions;
}
