import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** How many files are listed. */
const LISTED = 20;

/** A reporter of the test runner: says at the end of a run which files took longest. A file that shares its process is a suite. */
// oxlint-disable-next-line import/no-default-export -- Node loads a reporter by its default export
export default async function* slowFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const durations = new Map<string, number>();
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file !== undefined)
      durations.set(relative(process.cwd(), data.file), data.duration_ms);
    if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0 && data.details.type === 'suite')
      durations.set(data.name, data.details.duration_ms);
  }
  const files = [...durations].filter(([name]) => name.endsWith('.test.ts'));
  if (files.length <= 1) return;
  yield '\nThe files that took longest:\n';
  for (const [file, durationMs] of files.toSorted((a, b) => b[1] - a[1]).slice(0, LISTED))
    yield `${(durationMs / 1000).toFixed(1).padStart(7)} s  ${file}\n`;
}
