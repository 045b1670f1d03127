import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** How many files are listed. */
const LISTED = 12;

/** A reporter of the test runner: says at the end of a run which files took longest. */
// oxlint-disable-next-line import/no-default-export -- Node loads a reporter by its default export
export default async function* slowFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const durations: (readonly [file: string, durationMs: number])[] = [];
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file !== undefined) durations.push([data.file, data.duration_ms]);
  }
  if (durations.length <= 1) return;
  yield '\nThe files that took longest:\n';
  for (const [file, durationMs] of durations.toSorted((a, b) => b[1] - a[1]).slice(0, LISTED))
    yield `${(durationMs / 1000).toFixed(1).padStart(7)} s  ${relative(process.cwd(), file)}\n`;
}
