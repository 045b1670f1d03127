import type { Environment, Operator } from '@fairway/store';
import type { Logger } from 'pino';

/**
 * Names each chain that is not served although open plans are on it, as after a chain was taken out of the configuration.
 * Such plans wait, without jobs, until the chain is back.
 */
export async function logParkedPlans(
  operator: Pick<Operator, 'openPlansByChain'>,
  environment: Environment,
  served: readonly number[],
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const counted = await operator.openPlansByChain(environment);
  for (const [chainId, plans] of counted.counts) {
    if (served.includes(chainId)) continue;
    const wait = plans === 1 ? '1 open plan waits' : `${plans} open plans wait`;
    log.warn(
      { chainId, plans },
      `Chain ${chainId} is not in the configuration, and ${wait} for it: nothing is read, derived or ended for ` +
        'such a plan until the chain is configured again. See: fairway plans list',
    );
  }
}
