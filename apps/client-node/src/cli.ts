import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import pino from 'pino';
import { type EnvironmentVariables, readConfig } from './platform/config/config.ts';
import { ConfigError } from './platform/config/error.ts';
import { KeystoreError, writeNewKeystore } from './platform/signers/keystoreFile.ts';
import { credentialsCommand } from './credentialsCommand.ts';
import { SignerConfigError } from './platform/signers/openSigner.ts';
import { type RunningNode, run } from './run.ts';

/** What a command has around it. */
export type Terminal = {
  readonly environment: EnvironmentVariables;
  readonly input: NodeJS.ReadableStream;
  readonly output: { write(text: string): unknown };
  readonly notes: { write(text: string): unknown };
  /** Aborts when the command shall end. `withParent`: also when the process that started this one has ended. */
  untilStopped(withParent: boolean): AbortSignal;
};

const USAGE = `client-node [start] [--config FILE | --sandbox READY_FILE] [--data DIR] [--host HOST] [--port PORT] [--ready-file PATH]
client-node keys new FILE        makes an encrypted key; its password is one line of standard input
client-node credentials create [--permissions LIST] [--expires-in DURATION] [--organisation NAME]
client-node credentials rotate USERNAME [--overlap DURATION] | revoke USERNAME | list
                                 who may ask the node; with --data DIR or DATABASE_URL, and --json for scripts

It listens on 127.0.0.1 and port 8090 where nothing else is said, and on a free port where 8090 is taken.
Without --sandbox, the environment says what to execute with: docs/client-node.md names the variables.
`;

/** Runs a command line. Resolves to the exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const [command, ...rest] = args;
  if (args.includes('--help') || args.includes('-h')) {
    terminal.output.write(USAGE);
    return 0;
  }
  try {
    if (command === 'start') return await start(rest, terminal);
    if (command === undefined || command.startsWith('--')) return await start(args, terminal);
    if (command === 'keys' && rest[0] === 'new' && rest[1] !== undefined)
      return await newKey(rest[1], terminal);
    if (command === 'credentials') {
      terminal.output.write(`${await credentialsCommand(rest, terminal.environment)}\n`);
      return 0;
    }
    terminal.notes.write(USAGE);
    return command === 'help' ? 0 : 2;
  } catch (error) {
    const isTold = [ConfigError, KeystoreError, SignerConfigError].some((each) => error instanceof each);
    if (!(error instanceof Error && isTold)) throw error;
    terminal.notes.write(`${error.message}\n`);
    return 1;
  }
}

async function newKey(path: string, { input, output }: Terminal): Promise<number> {
  const lines = createInterface({ input });
  const { value: password = '' } = (await lines[Symbol.asyncIterator]().next()) as { value?: string };
  lines.close();
  if (password.length < 12)
    throw new KeystoreError(
      'The password needs 12 characters or more. Give it as one line of standard input.',
    );
  output.write(`${await writeNewKeystore(path, password)}\n`);
  return 0;
}

async function start(args: readonly string[], terminal: Terminal): Promise<number> {
  const config = readConfig(args, terminal.environment);
  const stop = terminal.untilStopped(config.stopWithParent);
  const log = pino({ level: config.logLevel }, endingQuietly(terminal.notes, stop));
  const node = await run(config, log);
  const { readyFile } = config;
  try {
    const { url, login, metricsUrl, relayers } = node;
    if (readyFile !== undefined) {
      const listed = relayers.map(({ relayerId, address, chainId }) => ({ relayerId, address, chainId }));
      // Readers see the whole file or none.
      const partial = `${readyFile}.${process.pid}.partial`;
      writeFileSync(
        partial,
        `${JSON.stringify({ url, ...login, metricsUrl, relayers: listed }, null, 2)}\n`,
        {
          mode: 0o600,
        },
      );
      renameSync(partial, readyFile);
    }
    terminal.output.write(welcome(node, config.environment));
    if (!stop.aborted) await once(stop, 'abort');
  } finally {
    if (readyFile !== undefined) rmSync(readyFile, { force: true });
    await node.close();
  }
  return 0;
}

/** The level of an error in a line of pino. */
const ERROR_LEVEL = 50;

/** While it ends, its chain and its database may go away first, as at Ctrl-C: then only errors are told. */
function endingQuietly(notes: Terminal['notes'], stop: AbortSignal): { write(line: string): void } {
  const isError = (line: string) => (JSON.parse(line) as { level: number }).level >= ERROR_LEVEL;
  return {
    write(line) {
      if (!stop.aborted || isError(line)) notes.write(line);
    },
  };
}

/** What a start says. In production its output is kept by others, so that it has no password. */
export function welcome(
  { url, login, credentialFile, metricsUrl, relayers }: Omit<RunningNode, 'close'>,
  environment: 'sandbox' | 'production',
): string {
  const lines = relayers.map(({ address, chainId }) => `  Relayer         ${address} (chain id ${chainId})`);
  if (metricsUrl !== undefined) lines.push(`  Metrics         ${metricsUrl}`);
  if (login !== undefined && environment === 'production') lines.push(`  Credential      ${credentialFile}`);
  if (login !== undefined && environment === 'sandbox')
    lines.push(`  Node username   ${login.username}`, `  Node password   ${login.password}`);
  return `\nThe Client Node is ready at ${url}\n\n${lines.join('\n')}\n`;
}
