import { NATIVE } from '@fairway/sdk/checks';
import { exactAmount } from '@fairway/values';
import type { Scene } from './proposal.ts';
import type { Refusal, RefusalCode } from './refusal.ts';

/** A rule of a policy: undefined where it has nothing against a proposal. */
type Rule = (scene: Scene) => Refusal | undefined;

const ALL_BPS = 10_000n;

/** What clients may spend, and on whom. A top-up is named as a whole, with both relayers and its amount. */
export const SPENDING_RULES: readonly Rule[] = [
  spendsAllowedToken,
  receivesAllowedToken,
  paysAllowedRecipient,
  spendsAllowedAmount,
];

/** All other rules but the limits of windows. Each looks by itself, so that a refusal says all that is wrong. */
export const RULES: readonly Rule[] = [
  isNearBest,
  isTrusted,
  isNearOwnQuote,
  wasSimulated,
  doesNotRevert,
  changesBalancesAsAsked,
  usesAllowedGas,
  keepsBalance,
];

function refusal({ chain }: Scene, code: RefusalCode, key: string, detail: string): Refusal {
  return { code, rule: `chains.${chain.chainId}.${key}`, detail };
}

function spendsAllowedToken(scene: Scene): Refusal | undefined {
  const { chain, asked } = scene;
  if (chain.tokens.some(({ address, spend }) => address === asked.tokenIn && spend !== undefined))
    return undefined;
  return refusal(scene, 'TOKEN_NOT_ALLOWED', 'tokens', `${asked.tokenIn} is no token that may be spent.`);
}

function receivesAllowedToken(scene: Scene): Refusal | undefined {
  const { chain, asked } = scene;
  if (chain.tokens.some(({ address }) => address === asked.tokenOut)) return undefined;
  return refusal(scene, 'TOKEN_NOT_ALLOWED', 'tokens', `${asked.tokenOut} is no token that may be received.`);
}

function paysAllowedRecipient(scene: Scene): Refusal | undefined {
  const { recipients } = scene.chain;
  const { recipient, sender } = scene.asked;
  if (recipients === 'ANY' || recipients.includes(recipient)) return undefined;
  if (recipient === sender && recipients.includes('RELAYER')) return undefined;
  return refusal(scene, 'RECIPIENT_NOT_ALLOWED', 'recipients', `${recipient} may not be paid.`);
}

function spendsAllowedAmount(scene: Scene): Refusal | undefined {
  const { chain, asked, checked } = scene;
  const most = chain.tokens.find(({ address }) => address === asked.tokenIn)?.spend?.most;
  if (most === undefined || checked.taken <= most) return undefined;
  const key = `tokens.${asked.tokenIn}.spend.most`;
  return refusal(
    scene,
    'AMOUNT_ABOVE_MOST',
    key,
    `It can take ${shown(scene, asked.tokenIn, checked.taken)}, and at most ${shown(scene, asked.tokenIn, most)} may be.`,
  );
}

function isNearBest(scene: Scene): Refusal | undefined {
  const { maxOptimalityGapBps: most } = scene.chain;
  const { optimalityGapBps: gap } = scene.known;
  if (!scene.isSwap || most === undefined || (gap !== undefined && gap <= most)) return undefined;
  const detail =
    gap === undefined
      ? 'It is not known how near the quote is to the best one.'
      : `The quote can be ${gap} bps below the best one, and ${most} are allowed.`;
  return refusal(scene, 'OPTIMALITY_GAP', 'maxOptimalityGapBps', detail);
}

function isTrusted(scene: Scene): Refusal | undefined {
  const { minTrust } = scene.chain;
  const { trust } = scene.known;
  if (!scene.isSwap || minTrust === undefined || trust === 'AGREED' || trust === minTrust) return undefined;
  return refusal(scene, 'TRUST', 'minTrust', `The trust of the quote is ${trust ?? 'not known'}.`);
}

/** No slippage is larger that the service takes. A limit that is further away was given in other units than smallest ones. */
const MOST_SLIPPAGE_BPS = 5_000;

function isNearOwnQuote(scene: Scene): Refusal | undefined {
  const { maxSlippageBps = MOST_SLIPPAGE_BPS } = scene.chain;
  const { ownQuote } = scene.known;
  if (!scene.isSwap) return undefined;
  if (ownQuote === undefined) {
    if (scene.chain.maxSlippageBps === undefined) return undefined;
    return refusal(scene, 'SLIPPAGE', 'maxSlippageBps', 'There is no quote of the own node to compare with.');
  }
  const isExactIn = scene.asked.tradeType === 'EXACT_IN';
  const bps = BigInt(Math.floor(maxSlippageBps));
  const isNear = isExactIn
    ? leastOut(scene) * ALL_BPS >= ownQuote * (ALL_BPS - bps)
    : scene.checked.taken * ALL_BPS <= ownQuote * (ALL_BPS + bps);
  if (isNear) return undefined;
  const { tokenIn, tokenOut } = scene.asked;
  const limit = isExactIn
    ? `pay as little as ${shown(scene, tokenOut, leastOut(scene))}`
    : `take as much as ${shown(scene, tokenIn, scene.checked.taken)}`;
  const quote = shown(scene, isExactIn ? tokenOut : tokenIn, ownQuote);
  const detail = `It may ${limit}; the own node quotes ${quote}, and ${maxSlippageBps} bps less are allowed. Amounts are in smallest units.`;
  return refusal(scene, 'SLIPPAGE', 'maxSlippageBps', detail);
}

/** An amount, and how people write it where that is known. */
function shown({ known }: Scene, address: string, units: bigint): string {
  const token = known.tokens?.get(address);
  return token === undefined
    ? `${units}`
    : `${units} (${exactAmount(units, token.decimals)} ${token.symbol})`;
}

/** What the recipient has to be paid. */
function leastOut({ asked }: Scene): bigint {
  const { tradeType, amount, limit } = asked;
  return tradeType === 'EXACT_IN' && 'minAmountOut' in limit ? BigInt(limit.minAmountOut) : amount;
}

function wasSimulated(scene: Scene): Refusal | undefined {
  if (!scene.chain.isSimulationDemanded || scene.known.changes !== undefined) return undefined;
  return refusal(scene, 'NOT_SIMULATED', 'simulation', 'It was not simulated.');
}

function doesNotRevert(scene: Scene): Refusal | undefined {
  if (scene.known.changes !== 'REVERTED') return undefined;
  return refusal(scene, 'SIMULATION_FAILED', 'simulation', 'It reverts on the own nodes.');
}

function changesBalancesAsAsked(scene: Scene): Refusal | undefined {
  const { asked, checked, known } = scene;
  const { changes } = known;
  if (changes === undefined || changes === 'REVERTED') return undefined;
  const differs = (detail: string) => refusal(scene, 'SIMULATION_DIFFERS', 'simulation', detail);
  const lost = changes.find(
    ({ account, token, change }) =>
      account === asked.sender && change < (token === asked.tokenIn ? -checked.taken : 0n),
  );
  if (lost !== undefined) return differs(`It takes ${-lost.change} of ${lost.token} from the relayer.`);
  const paid = changes.find(
    ({ account, token }) => account === asked.recipient && token === asked.tokenOut,
  )?.change;
  if (paid !== undefined && paid >= leastOut(scene)) return undefined;
  return differs(`It pays ${paid ?? 0n} to ${asked.recipient}, and ${leastOut(scene)} were asked for.`);
}

function usesAllowedGas(scene: Scene): Refusal | undefined {
  const { mostGas } = scene.chain;
  const { gas } = scene.known;
  if (gas <= mostGas) return undefined;
  return refusal(scene, 'GAS_ABOVE_MOST', 'mostGas', `It takes ${gas} gas, and ${mostGas} are allowed.`);
}

const NATIVE_DECIMALS = 18;

function coins(wei: bigint): string {
  return exactAmount(wei, NATIVE_DECIMALS);
}

function keepsBalance(scene: Scene): Refusal | undefined {
  const { keepWei } = scene.chain;
  const { gas, maxFeePerGasWei, balanceWei } = scene.known;
  const valueWei = scene.asked.tokenIn === NATIVE ? scene.checked.taken : 0n;
  const shortWei = keepWei - (balanceWei - valueWei - gas * maxFeePerGasWei);
  if (shortWei <= 0n) return undefined;
  const { sender } = scene.asked;
  const parts = `${coins(valueWei)} for the swap, ${coins(gas * maxFeePerGasWei)} for gas at the highest fee, and ${coins(keepWei)} that are kept`;
  const detail = `The relayer ${sender} has ${coins(balanceWei)} in native currency, and needs ${parts}. Send ${coins(shortWei)} or more (${shortWei} wei) to ${sender}.`;
  return refusal(scene, 'BALANCE_NOT_KEPT', 'keepWei', detail);
}
