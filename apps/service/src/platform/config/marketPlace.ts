import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ChainConfig, parseConfigFile, type PaymentsConfig } from './file.ts';
import { ConfigError } from './error.ts';
import type { EnvironmentVariables } from './variables.ts';
import { readReadyFile } from './readyFileContent.ts';

/** Where a command reads a chain from: the nodes of a configuration file, or the node of a running sandbox. */
export type MarketPlace =
  | {
      readonly kind: 'CONFIGURED';
      readonly chains: readonly ChainConfig[];
      readonly corridors: PaymentsConfig['corridors'];
    }
  | { readonly kind: 'SANDBOX'; readonly rpcUrl: string };

/**
 * Reads which chains a command can ask: those of the configuration file, else the sandbox of the ready file. A flag
 * wins over both variables.
 * @throws ConfigError
 */
export function readMarketPlace(
  flags: { readonly config?: string | undefined; readonly readyFile?: string | undefined },
  environment: EnvironmentVariables,
): MarketPlace {
  const { config, readyFile } = flags;
  const flagged = config !== undefined || readyFile !== undefined;
  const file = flagged ? config : environment.FAIRWAY_CONFIG || undefined;
  if (file !== undefined) {
    const { chains, payments } = parseConfigFile(resolve(file), readText, environment);
    return { kind: 'CONFIGURED', chains, corridors: payments?.corridors ?? [] };
  }
  const ready = readyFile ?? (environment.FAIRWAY_READY_FILE || undefined);
  if (ready !== undefined) return { kind: 'SANDBOX', rpcUrl: readSandboxUrl(resolve(ready)) };
  throw new ConfigError([
    'Which chain? Give --config FILE with the chains, or --ready-file PATH of a running sandbox ' +
      '(fairway start --ready-file PATH writes it).',
  ]);
}

/**
 * Reads where the chains of plans are, with the corridors of the configuration file. `mayBeNone`: a command that does
 * without chains where none is named.
 * @throws ConfigError
 */
export function readPlanPlace(
  flags: { readonly config?: string | undefined; readonly readyFile?: string | undefined },
  mayBeNone: boolean,
  environment: EnvironmentVariables,
): MarketPlace & { readonly corridors: PaymentsConfig['corridors'] } {
  const named =
    flags.config ?? flags.readyFile ?? (environment.FAIRWAY_CONFIG || environment.FAIRWAY_READY_FILE);
  if (mayBeNone && !named) return { kind: 'CONFIGURED', chains: [], corridors: [] };
  const place = readMarketPlace(flags, environment);
  return { ...place, corridors: 'corridors' in place ? place.corridors : [] };
}

function readSandboxUrl(path: string): string {
  const { rpcUrl } = readReadyFile(path);
  if (typeof rpcUrl === 'string') return rpcUrl;
  throw new ConfigError([
    `--ready-file ${path}: names no sandbox chain; for a service of configured chains give its --config FILE.`,
  ]);
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}
