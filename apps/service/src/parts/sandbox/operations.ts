import { toAddress } from '@fairway/engine';
import { type FaucetAnswer, NATIVE_ADDRESS, type Sandbox } from '@fairway/wire';
import { actingOf, type FieldReader, refuse, type Registrar, required, timestampOf } from '@fairway/api';
import { readDuration } from '@fairway/values';
import { tokenBody } from '../../platform/chains/tokenBody.ts';
import type { CollectParts } from '../collect/index.ts';
import { planAnswer } from '../payments/index.ts';
import { readFaucet, useFaucet } from './faucet.ts';
import type { FaucetOrder, SandboxDeps } from './deps.ts';
import { sandboxRefused } from './problems.ts';
import { readSimulatedEvent, simulateStep } from './simulateStep.ts';

/**
 * This is longer than any time limit of a plan. More could spoil the sandbox by mistake, because its clock never goes
 * back.
 */
const LONGEST_ADVANCE_YEARS = 1;

/** Registers the operations that only the built-in sandbox has: accounts, faucet, clock and simulated events. */
export function registerOperations(
  registrar: Registrar,
  sandbox: SandboxDeps,
  parts: CollectParts,
  nowMs: () => number,
): void {
  registrar.read('getSandbox', { answer: () => ({ ok: true, body: sandboxBody(sandbox) }) });
  registrar.submit('advanceClock', {
    input: (fields) => required(fields, 'advance', durationField(nowMs())),
    async answer(seconds) {
      const advanced = await sandbox.advanceClock(seconds);
      if (!advanced.ok) return refuse(sandboxRefused(advanced, '/advance'));
      return { ok: true, body: { now: timestampOf(nowMs()) } };
    },
  });
  registrar.submit('useFaucet', {
    input: (fields) => readFaucet(fields, parts.chains),
    async answer(ask) {
      const given = await useFaucet(sandbox, ask);
      return given.ok ? { ok: true, body: faucetBody(given.value, sandbox.chainId, parts.chains) } : given;
    },
  });
  registrar.submit('simulateStep', {
    input: readSimulatedEvent,
    async answer(asked, call) {
      const { planId = '', stepId = '' } = call.params;
      const acting = actingOf(call);
      const simulated = await simulateStep(parts, sandbox, acting, { planId, stepId, ...asked });
      return planAnswer(simulated, parts, call.expand);
    },
  });
}

function sandboxBody({ accounts, routers, factories, tokens, ...sandbox }: SandboxDeps): Sandbox {
  const { chainId, rpcUrl, wrappedNative, multicall3, smtpUrl } = sandbox;
  return {
    chainId,
    rpcUrl,
    accounts: accounts.map(({ address, privateKey }) => ({ address, privateKey })),
    routers: { ...routers },
    factories: factories.map(({ kind, name, address }) => ({ kind, name, address })),
    wrappedNative,
    multicall3,
    smtpUrl,
    tokens: tokens.map(({ address, symbol, decimals }) => ({ chainId, address, symbol, decimals })),
  };
}

function faucetBody(order: FaucetOrder, chainId: number, chains: CollectParts['chains']): FaucetAnswer {
  const given = toAddress('token' in order ? order.token : NATIVE_ADDRESS);
  return {
    address: order.address,
    asset: tokenBody(chainId, given, chains.get(chainId)),
    amount: String(order.amount),
  };
}

function durationField(nowMs: number): FieldReader<number> {
  return {
    must: 'an ISO 8601 duration of whole seconds up to one year, such as "PT20M" or "P1D"',
    read(given) {
      if (typeof given !== 'string') return { ok: false };
      const duration = readDuration(given, nowMs, 1, LONGEST_ADVANCE_YEARS);
      return duration.ok ? { ok: true, value: duration.seconds } : { ok: false, must: duration.must };
    },
  };
}
