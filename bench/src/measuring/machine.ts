import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';

/** The facts of this machine on which figures depend, without its name. */
export function machineFacts(date: Date): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return [
    `${date.toISOString().slice(0, 10)}, ${model}, ${availableParallelism()} cores, ${memoryGib} GiB memory`,
    `${platform()} ${release()} ${arch()}, Node ${process.version}`,
  ].join('\n');
}
