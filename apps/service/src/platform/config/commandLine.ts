import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestName } from '@fairway/api';
import { UsageError } from './error.ts';

/** Reads a command's options. @throws UsageError */
export function parseCommand<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals });
  } catch (error) {
    throw new UsageError(faultOf(error, Object.keys(options)));
  }
}

/** What is wrong, in our own words: those of Node tell of its interface. */
function faultOf(error: unknown, names: readonly string[]): string {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  const [, named = ''] = /'(-[^' ]*|[^']*)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const meant = nearestName(named.replace(/^-+/, ''), names);
    return `There is no option ${named} here.${meant === undefined ? '' : ` Did you mean --${meant}?`}`;
  }
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return `Unexpected argument: ${named}.`;
  if (/does not take an argument/.test(message)) return `${named} takes no value.`;
  return `${named} needs a value after it.`;
}
