/** Requests in a second: not fewer, and with more there is no limit worth keeping. */
const SLOWEST = 0.5;
/** A node that refuses before it has answered as many in a second bears as many until it refuses again. */
const FIRST_CEILING = 4;
const UNLIMITED_FROM = 1000;
/** The pause after a refusal that names none. It doubles with each further refusal, up to the longest. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8000;

/**
 * Learns how many requests a second a node bears, by what it answers and refuses. There is no limit until the node refuses
 * a request as one of too many. After that each refusal halves the number, and answers let it grow, slowly around the
 * number at which the node refused before.
 */
export function createLearntRate(nowMs: () => number) {
  let perSecond = Number.POSITIVE_INFINITY;
  /** The number of requests that were sent in a second when the node refused last. */
  let ceiling = 0;
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  let refusals = 0;
  let pausedUntilMs = 0;
  const answers = { second: 0, count: 0, before: 0 };

  function countInSecond(added: number): void {
    const second = Math.floor(nowMs() / 1000);
    if (second !== answers.second) {
      answers.before = second === answers.second + 1 ? answers.count : 0;
      answers.second = second;
      answers.count = 0;
    }
    answers.count += added;
  }

  /** How fast the number grows in a second: slowly around the number at which the node refused, quickly elsewhere. */
  function growth(): number {
    const isNear = perSecond > 0.9 * ceiling && perSecond < 1.25 * ceiling;
    return perSecond / (isNear ? 32 : 2);
  }

  return {
    gapMs: () => (perSecond === Number.POSITIVE_INFINITY ? 0 : 1000 / perSecond),
    pausedUntilMs: () => pausedUntilMs,
    answered(): void {
      countInSecond(1);
      refusals = 0;
      if (perSecond === Number.POSITIVE_INFINITY) return;
      perSecond += growth() / perSecond;
      if (perSecond > UNLIMITED_FROM) perSecond = Number.POSITIVE_INFINITY;
    },
    refused(sentAtMs: number, pauseMs: number | undefined): void {
      const now = nowMs();
      const [least, most] = pauseMs === undefined ? [0.5, 1] : [1, 1.1];
      const pause = pauseMs ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** refusals);
      // Many processes with one key would come back in step without some chance in it.
      pausedUntilMs = Math.max(pausedUntilMs, now + pause * (least + (most - least) * Math.random()));
      // Several requests under way tell of one thing.
      if (sentAtMs <= refusedAtMs) return;
      refusedAtMs = now;
      refusals++;
      countInSecond(0);
      ceiling = Math.min(perSecond, Math.max(FIRST_CEILING, answers.count, answers.before));
      perSecond = Math.max(SLOWEST, ceiling / 2);
    },
  };
}
