import { once } from 'node:events';
import pino from 'pino';
import { type Config, readConfig } from '../platform/config/config.ts';
import { type RunningService, run } from '../run.ts';
import { clientNodeLines, type StartedClientNode, startClientNode } from './clientNode.ts';
import { prepareReadyFile } from './readyFile.ts';
import type { Terminal } from './terminal.ts';

/** `fairway start`: runs the service until SIGINT, SIGTERM or, under npm, the end of npm. Returns the exit code. */
export async function startCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const config = readConfig(args, terminal.environment);
  const readyFile = config.readyFile === undefined ? undefined : prepareReadyFile(config.readyFile);
  const log = pino({ level: config.logLevel }, terminal.notes);
  const stop = terminal.untilStopped(config.stopWithParent);
  let service: RunningService;
  try {
    service = await run(config, log, stop);
  } catch (error) {
    if (stop.aborted) return 0;
    throw error;
  }
  let beside: StartedClientNode | undefined;
  try {
    if (config.clientNode) beside = await startClientNode(service, config, terminal);
    readyFile?.write(service, beside?.node);
    terminal.output.write(welcome(service, config, beside));
    if (!stop.aborted) await once(stop, 'abort');
  } finally {
    readyFile?.remove();
    await beside?.close();
    await service.close();
  }
  return 0;
}

/** Names the chains of which one node alone is believed. */
function trustLines({ chains = [] }: Config): string[] {
  const trusting = chains.filter(({ agreement }) => agreement === 1).map(({ name }) => name);
  if (trusting.length === 0) return [];
  return [
    '',
    `For ${trusting.join(', ')}, the service believes a single node. To be safe from a node that is wrong,`,
    'configure three nodes of which two must agree: see "Nodes" in docs/operating.md.',
  ];
}

function welcome(
  { url, demo, metricsUrl, exampleQuery = '' }: RunningService,
  config: Config,
  beside: StartedClientNode | undefined,
): string {
  const lines = [
    '',
    `Fairway is ready at ${url}`,
    '',
    `  Quick start     ${url}/docs/quick-start`,
    `  API reference   ${url}/docs`,
    `  OpenAPI         ${url}/openapi.json`,
  ];
  if (metricsUrl !== undefined) lines.push(`  Metrics         ${metricsUrl}`);
  lines.push(...trustLines(config));
  if (demo === undefined) return `${[...lines, ''].join('\n')}\n`;
  const { username, password, chainId, rpcUrl } = demo;
  lines.push(
    `  Sandbox chain   ${rpcUrl} (chain id ${chainId})`,
    `  Sandbox mailbox ${url}/sandbox/mailbox`,
    `  Demo username   ${username}`,
    `  Demo password   ${password}`,
    '',
    'Sell 1 ETH for USDC, at the price of the latest block:',
    '',
    `  curl -s -u ${username}:${password} '${url}/v1/quote?${exampleQuery}'`,
    '',
    ...(beside === undefined ? [] : clientNodeLines(beside)),
    'Accounts with keys and funds to execute swaps with:',
    '',
    `  curl -s -u ${username}:${password} ${url}/v1/sandbox`,
    '',
    config.dataDirectory === undefined
      ? 'Everything here is forgotten when it stops; keep it with --data DIR. Stop with Ctrl-C.'
      : `Kept in ${config.dataDirectory}. Stop with Ctrl-C.`,
  );
  return `${[...lines, ''].join('\n')}\n`;
}
