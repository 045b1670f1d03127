import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Corridor, Sandbox } from '@fairway/wire';
import { parseCommand } from '../platform/config/commandLine.ts';
import { UsageError } from '../platform/config/error.ts';
import { readServiceAccess } from '../platform/config/serviceAccess.ts';
import { callService } from './callService.ts';
import { CommandError } from './commandError.ts';
import { sandboxConfiguration } from './sandboxConfiguration.ts';
import type { Terminal } from './terminal.ts';

const OPTIONS = {
  out: { type: 'string' },
  port: { type: 'string' },
  service: { type: 'string' },
  'ready-file': { type: 'string' },
} as const;

/** The port of the service that is configured, next to that of the sandbox. */
const USUAL_PORT = '8081';

/**
 * `fairway config sandbox`: writes the configuration of a service of one's own on the chain of a running sandbox, and the
 * token list beside it. Existing files stay as they are. Returns what to print.
 * @throws UsageError, ConfigError, CommandError
 */
export async function configCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values, positionals } = parseCommand(args, OPTIONS, true);
  if (positionals.join(' ') !== 'sandbox')
    throw new UsageError('Use: fairway config sandbox [--out FILE] [--port N] --ready-file PATH.');
  const { out = 'fairway.json', port = USUAL_PORT } = values;
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port must be from 1 to 65535, where your service will listen; given ${port}.`);
  const access = readServiceAccess(
    { service: values.service, readyFile: values['ready-file'] },
    terminal.environment,
  );
  const sandbox = await callService<Sandbox>(access, '/v1/sandbox');
  const corridors = await callService<readonly Corridor[]>(access, '/v1/markets/corridors?status=all');
  const tokensFile = `${basename(out).replace(/\.json$/, '')}.tokens.json`;
  const publicUrl = `http://127.0.0.1:${port}`;
  const { config, tokens } = sandboxConfiguration(sandbox, corridors, { publicUrl, tokensFile });
  // The token list first: a configuration is there only with the list that it names.
  write(join(dirname(out), tokensFile), tokens);
  write(out, config);
  return `${out} and ${tokensFile} beside it configure a service on the sandbox's chain. While the sandbox runs:
  (umask 077; openssl rand -hex 32 > own.key)
  export FAIRWAY_SEALING_KEYS=one:file:own.key
  npx fairway start --config ${out} --port ${port} --data ./own
In another terminal, in the same folder, which needs the key, too:
  export FAIRWAY_SEALING_KEYS=one:file:own.key
  npx fairway credentials create --organisation "Acme" --data ./own`;
}

/** Writes a file that is not there yet. @throws CommandError */
function write(path: string, content: object): void {
  try {
    writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST'
        ? 'it is there already. Remove it, or name another one with --out'
        : code === 'ENOENT'
          ? `there is no folder ${dirname(path)}`
          : message;
    throw new CommandError('FILE_NOT_WRITTEN', `${path} cannot be written: ${why}.`);
  }
}
