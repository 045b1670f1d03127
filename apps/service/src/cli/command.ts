import { ConfigError, UsageError } from '../platform/config/error.ts';
import { version } from '../platform/config/version.ts';
import { CommandError } from './commandError.ts';
import { COMMANDS, USAGE, usageOf } from './usage.ts';
import { DatabaseUnavailableError } from '@fairway/postgres';
import type { Terminal } from './terminal.ts';

/**
 * Runs a command line; `start` runs until a signal ends it. Resolves to the exit code of the process: 0 for success,
 * 1 for failure, 2 for a command line that cannot be understood.
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const [command, ...rest] = args;
  const print = (text: string): number => {
    terminal.output.write(text.endsWith('\n') ? text : `${text}\n`);
    return 0;
  };
  if (rest.includes('--help') || rest.includes('-h')) return print(usageOf(command ?? '') ?? USAGE);
  try {
    // Each command loads only what it needs: loading the whole service takes longer than most of them.
    switch (command) {
      case 'start':
        return await (await import('./start.ts')).startCommand(rest, terminal);
      case 'credentials':
        return print(await (await import('./credentials.ts')).credentialsCommand(rest, terminal));
      case 'plans':
        return print(await (await import('./plans/plans.ts')).plansCommand(rest, terminal));
      case 'quote':
        return print(await (await import('./trading/quote.ts')).quoteCommand(rest, terminal));
      case 'explain':
        return print(await (await import('./trading/explain.ts')).explainCommand(rest, terminal));
      case 'listen':
        return await (await import('./listen.ts')).listenCommand(rest, terminal);
      case 'trigger':
        return print(await (await import('./trigger.ts')).triggerCommand(rest, terminal));
      case 'config':
        return print(await (await import('./config.ts')).configCommand(rest, terminal));
      case 'keys':
        return print(await (await import('./keys.ts')).keysCommand(rest, terminal));
      case 'recover':
        return print(await (await import('./recover.ts')).recoverCommand(rest, terminal));
      case 'reseal':
        return print(await (await import('./reseal.ts')).resealCommand(rest, terminal));
      case 'audit':
        return print(await (await import('./audit.ts')).auditCommand(rest, terminal));
      case 'migrate':
        return print(await (await import('./migrate.ts')).migrateCommand(rest, terminal));
      case 'version':
      case '--version':
        return print(version);
      case undefined:
      case 'help':
      case '--help':
      case '-h':
        return print(await help(rest[0]));
      default:
        throw await unknownCommand(command);
    }
  } catch (error) {
    const failure = failureOf(error, command);
    // Any other error is a bug: Node prints its stack trace.
    if (failure === undefined) throw error;
    const { exitCode, code, detail } = failure;
    terminal.notes.write(`${detail}\n`);
    if (rest.includes('--json')) print(JSON.stringify({ error: { code, detail } }));
    return exitCode;
  }
}

/** @throws UsageError for a command that there is not. */
async function help(command: string | undefined): Promise<string> {
  if (command === undefined) return USAGE;
  const usage = usageOf(command);
  if (usage === undefined) throw await unknownCommand(command);
  return usage;
}

async function unknownCommand(command: string): Promise<UsageError> {
  const { nearestName } = await import('@fairway/api');
  const meant = nearestName(command, COMMANDS);
  return new UsageError(
    `There is no command ${command}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
  );
}

type Failure = { readonly exitCode: number; readonly code: string; readonly detail: string };

function failureOf(error: unknown, command = ''): Failure | undefined {
  if (error instanceof UsageError) {
    const help = COMMANDS.includes(command) ? `fairway help ${command}` : 'fairway help';
    return { exitCode: 2, code: 'USAGE', detail: `${error.message} See: ${help}` };
  }
  if (error instanceof ConfigError) return { exitCode: 1, code: 'CONFIGURATION', detail: error.message };
  if (error instanceof DatabaseUnavailableError)
    return {
      exitCode: 1,
      code: 'DATABASE_UNAVAILABLE',
      detail: `The database does not answer: ${error.message}`,
    };
  if (error instanceof CommandError) return { exitCode: 1, code: error.code, detail: error.message };
  return undefined;
}
