import type { Markets } from '@fairway/sdk/markets';
import type { Logger } from 'pino';
import { keccak256 } from 'viem';
import type { Relayer } from './platform/relaying/relayer.ts';

type Checked = Pick<Relayer, 'chainId' | 'chainPolicy' | 'request'>;

/**
 * Compares the routers of the policy with those that the service uses, and with their code on the own nodes. It says in the
 * log what differs. The policy alone decides: a swap by another router is refused.
 */
export async function compareRouters(
  markets: Pick<Markets, 'routers'>,
  relayers: readonly Checked[],
  log: Pick<Logger, 'warn'>,
  ending: AbortSignal,
): Promise<void> {
  // Those of one chain have one policy.
  for (const [, relayer] of new Map(relayers.map((each) => [each.chainId, each])))
    await compareOnChain(markets, relayer, log, ending);
}

async function compareOnChain(
  markets: Pick<Markets, 'routers'>,
  { chainId, chainPolicy, request }: Checked,
  log: Pick<Logger, 'warn'>,
  ending: AbortSignal,
): Promise<void> {
  try {
    const used = await markets.routers();
    for (const router of chainPolicy.routers) {
      const found = used.find((each) => each.chainId === chainId && each.address.toLowerCase() === router);
      const code = (await request({ method: 'eth_getCode', params: [router, 'latest'] })) as `0x${string}`;
      if (found === undefined)
        log.warn({ chainId, router }, 'The service does not use this router of the policy');
      else if (keccak256(code) !== found.codeHash.toLowerCase())
        log.warn({ chainId, router }, 'The service knows this router of the policy with other code');
    }
  } catch (error) {
    if (ending.aborted) return;
    log.warn(
      { chainId, reason: (error as Error).message },
      'The routers of the policy could not be compared with those of the service',
    );
  }
}
