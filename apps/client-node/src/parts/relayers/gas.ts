import {
  amountField,
  type Answer,
  complete,
  type Door,
  type Fields,
  integerField,
  invalidFields,
  refuse,
  required,
  timestampOf,
} from '@fairway/api';
import { GAS_BOUNDS, type GasView, type NodeOperationId } from '@fairway/wire';
import type { Logger } from 'pino';
import { readGasRules, setGasRules } from '../../platform/database/gasRules.ts';
import type { Database } from '../../platform/database/schema.ts';
import { rulesOf } from '../../platform/relaying/gas.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';
import type { Relayers } from '../executions/index.ts';

/** What the rules of gas are read and set with. */
export type GasParts = {
  readonly database: Database;
  readonly relayers: Relayers;
  readonly log: Pick<Logger, 'warn'>;
};

const NO_CHAIN = refuse({
  code: 'not-found',
  detail: 'The node has no relayer on this chain; GET /relay/relayers lists them.',
});

/** Registers how the rules of gas on a chain are read and set. */
export function registerGas(
  { registrar }: Pick<Door<NodeOperationId>, 'registrar'>,
  { database, relayers, log }: GasParts,
): void {
  const relayersOn = (chain: string) =>
    [...relayers.values()].filter(({ chainId }) => String(chainId) === chain);
  registrar.find('getGas', {
    async answer(_, { params: { chainId = '' } }) {
      const [relayer] = relayersOn(chainId);
      return relayer === undefined ? NO_CHAIN : { ok: true, body: await gasView(database, relayer) };
    },
  });
  registrar.submit('putGas', {
    input: readGas,
    async answer(rules, { caller: { credentialId }, params }) {
      const onChain = relayersOn(params['chainId'] ?? '');
      const [relayer] = onChain;
      if (relayer === undefined) return NO_CHAIN;
      const fault = faultOf(rules.maxFeePerGasCapWei, relayer.maxFeePerGasWei);
      if (fault !== undefined) return fault;
      const { chainId } = relayer;
      await setGasRules(database, chainId, rules, credentialId);
      const { maxFeePerGasCapWei, bumpAfterBlocks } = rules;
      const set = { maxFeePerGasCapWei: String(maxFeePerGasCapWei), bumpAfterBlocks };
      log.warn({ chainId, credentialId, ...set }, 'An operator has set the rules of gas');
      for (const each of onChain) each.wake();
      return { ok: true, body: await gasView(database, relayer) };
    },
  });
}

/** The rules with who has set them: one reading, so that they belong together. */
async function gasView(database: Database, { chainId, maxFeePerGasWei }: Relayer): Promise<GasView> {
  const set = await readGasRules(database, chainId);
  const { maxFeePerGasCapWei, bumpAfterBlocks } = rulesOf(maxFeePerGasWei, set);
  return {
    chainId,
    maxFeePerGasCap: String(maxFeePerGasCapWei),
    bumpAfterBlocks,
    ...(set && { changedBy: set.changedBy, changedAt: timestampOf(set.changedAtMs) }),
  };
}

function readGas(fields: Fields) {
  return complete(fields, {
    maxFeePerGasCapWei: required(fields, 'maxFeePerGasCap', amountField),
    bumpAfterBlocks: required(fields, 'bumpAfterBlocks', integerField(GAS_BOUNDS.bumpAfterBlocks)),
  });
}

function faultOf(capWei: bigint, mostWei: bigint): Extract<Answer<never>, { ok: false }> | undefined {
  const leastWei = GAS_BOUNDS.leastFeePerGasCapWei;
  if (capWei >= leastWei && capWei <= mostWei) return undefined;
  const detail = `maxFeePerGasCap must be from ${leastWei} to ${mostWei}: the configuration's maxFeeGwei is the most.`;
  return refuse(invalidFields([{ pointer: '/maxFeePerGasCap', detail }]));
}
