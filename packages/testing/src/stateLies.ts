import {
  concatHex,
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  parseAbi,
  sliceHex,
  toFunctionSelector,
} from 'viem';
import { about, type Lie, type RpcCall } from './lie.ts';

const MULTICALL_ABI = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Answer { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Answer[])',
]);
const LENS_ABI = parseAbi([
  'function read(int24 tickSpacing) view returns (uint160 sqrtPriceX96, int24 tick, uint128 liquidity, int24[] ticks, uint128[] liquidityGross, int128[] liquidityNet)',
]);
const GET_RESERVES = '0x0902f1ac';
const AGGREGATE = '0x82ad56cb';
const READ_POOL = toFunctionSelector(LENS_ABI[0]);

/** Whether a read is answered as it is; `returnData` of one word after the other. */
type WordChange = (callData: Hex, returnData: Hex) => Hex;

/** Changes single reads within calls of Multicall3. */
function aboutReads(change: WordChange): Lie {
  return about(['eth_call'], (result, { params: [transaction] }) => {
    const { data } = transaction as { readonly data?: Hex };
    if (data === undefined || !data.startsWith(AGGREGATE)) return undefined;
    const [calls] = decodeFunctionData({ abi: MULTICALL_ABI, data }).args;
    const answers = decodeFunctionResult({
      abi: MULTICALL_ABI,
      functionName: 'aggregate3',
      data: result as Hex,
    });
    const changed = answers.map((answer, index) => ({
      ...answer,
      returnData: change(calls[index]?.callData ?? '0x', answer.returnData),
    }));
    return encodeFunctionResult({ abi: MULTICALL_ABI, functionName: 'aggregate3', result: changed });
  });
}

/** The second reserve of every pair is half of what it is. */
export const halvedReserves: Lie = aboutReads((callData, returnData) => {
  if (callData !== GET_RESERVES || returnData.length < 2 + 3 * 64) return returnData;
  const reserve1 = BigInt(sliceHex(returnData, 32, 64)) / 2n;
  return concatHex([
    sliceHex(returnData, 0, 32),
    numberToHex(reserve1, { size: 32 }),
    sliceHex(returnData, 64),
  ]);
});

/**
 * Every account holds and allows a millionth of its real amount, and every pool of a factory is at another address.
 */
export const wrongAccounts: Lie = aboutReads((callData, returnData) => {
  if (returnData.length !== 66 || callData === GET_RESERVES) return returnData;
  return numberToHex(BigInt(returnData) / 1_000_000n, { size: 32 });
});

/** V3 pools have half their liquidity, at every tick. */
export const halvedLiquidity: Lie = about(['eth_call'], (result, call) => {
  if (!isLensCall(call)) return undefined;
  const read = decodeFunctionResult({ abi: LENS_ABI, functionName: 'read', data: result as Hex });
  const [price, tick, liquidity, ticks, gross, net] = read;
  const halved = [
    price,
    tick,
    liquidity / 2n,
    ticks,
    gross.map((each) => each / 2n),
    net.map((each) => each / 2n),
  ] as const;
  return encodeFunctionResult({ abi: LENS_ABI, functionName: 'read', result: halved });
});

/** V3 pools have a liquidity at their ticks that does not end: the last tick is missing. */
export const missingTick: Lie = about(['eth_call'], (result, call) => {
  if (!isLensCall(call)) return undefined;
  const read = decodeFunctionResult({ abi: LENS_ABI, functionName: 'read', data: result as Hex });
  const [price, tick, liquidity, ticks, gross, net] = read;
  const shorter = [price, tick, liquidity, ticks.slice(0, -1), gross.slice(0, -1), net.slice(0, -1)] as const;
  return encodeFunctionResult({ abi: LENS_ABI, functionName: 'read', result: shorter });
});

/** A pool is read through code that a state override puts at its address. */
function isLensCall({ params: [transaction] }: RpcCall): boolean {
  const { data } = transaction as { readonly data?: Hex };
  return data?.startsWith(READ_POOL) === true;
}

/** Contracts have no code and accounts have nothing. */
export const noState: Lie = about(
  ['eth_getCode', 'eth_getBalance', 'eth_call', 'eth_getStorageAt'],
  (_, { method }) => (method === 'eth_getBalance' ? '0x0' : '0x'),
);

/** Every call of a contract is reverted. */
export const everyCallReverts: Lie = (call, scene) =>
  call.method === 'eth_call'
    ? { error: { code: 3, message: 'execution reverted', data: '0x08c379a0' } }
    : scene.ask(call);
