import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The command line cannot be understood. The message says what to type instead. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Reads a command's options. @throws UsageError */
export function parseCommand<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals });
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'The options cannot be read';
    throw new UsageError(`${detail.replace(/\.$/, '')}. See: fairway help`);
  }
}
