import { type FeePips } from '@fairway/engine';
import { type Factory, readMarketAt, type RpcRequest } from '@fairway/evm';
import { numberToHex } from 'viem';
import { atMost, type Benchmark } from './benchmark.ts';
import { numbered } from './syntheticMarket.ts';
import { collectGarbage } from './measuring/timing.ts';

const TOKENS = 395;
const LONGEST_TURN_MS = 20;
const FACTORIES: readonly Factory[] = [
  { kind: 'UNISWAP_V2', name: 'uniswap-v2', address: numbered(0xf2), feePips: 3000 as FeePips },
  {
    kind: 'UNISWAP_V3',
    name: 'uniswap-v3',
    address: numbered(0xf3),
    feeTiers: [100, 500, 3000, 10_000] as FeePips[],
  },
];
const WORD = 64;
const word = (value: number) => value.toString(16).padStart(WORD, '0');
const TEXT = Buffer.from('T').toString('hex').padEnd(WORD, '0');
const ANSWERS: Readonly<Record<string, string>> = {
  '313ce567': word(18),
  '95d89b41': TEXT,
  '06fdde03': TEXT,
};

/** Looks for pools of many listed tokens at a node that has none: all of it is the finding itself. */
export const discovery: Benchmark = {
  name: 'discovery',
  title: `Finding the pools of ${TOKENS} listed tokens at two factories with five fees`,
  async run() {
    let [requests, reads, peakBytes] = [0, 0, 0];
    const request: RpcRequest = async ({ method, params = [] }) => {
      // A remote node answers in a later turn of the event loop, and so does this one.
      await new Promise((resolve) => setImmediate(resolve));
      if (method !== 'eth_call') return answerOf(method);
      const { data } = params[0] as { readonly data: string };
      requests += 1;
      reads += Number.parseInt(data.slice(10 + WORD, 10 + 2 * WORD), 16);
      if (requests % 16 === 0) peakBytes = Math.max(peakBytes, process.memoryUsage().heapUsed);
      return aggregated(data);
    };
    const tokens = Array.from({ length: TOKENS }, (_, index) => numbered(0x1000 + index));
    const [multicall3, spender] = [numbered(0xca11), numbered(0x20de)];
    const source = { request, chainId: 1, multicall3, spender, factories: FACTORIES, tokens };
    collectGarbage();
    const startBytes = process.memoryUsage().heapUsed;
    const longestTurnMs = watchTurns();
    const read = await readMarketAt(source, undefined, () => {});
    const longestMs = await longestTurnMs();
    if (!read.ok) throw new Error(`The market cannot be read: ${read.refusal.reason}`);
    const heapMb = (peakBytes - startBytes) / 1e6;
    return [
      { what: 'Reads', measured: String(reads), note: `in ${requests} requests` },
      {
        what: 'Heap above the start, at most',
        measured: `${heapMb.toFixed(0)} MB`,
        note: 'what waits for the garbage collection included',
      },
      {
        what: 'Longest turn of the event loop',
        measured: `${longestMs.toFixed(1)} ms`,
        note: 'processor time of its thread, the answers of the node included',
        target: atMost(longestMs, LONGEST_TURN_MS, 'ms'),
      },
    ];
  },
};

/** Measures turns of the event loop in processor time of this thread, so that other processes do not count. */
function watchTurns(): () => Promise<number> {
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [last, longest, isOver] = [cpuMs(), 0, false];
  const turn = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return async () => {
    // A turn that is still under way is not counted before it ends.
    await new Promise((resolve) => setTimeout(resolve, 5));
    isOver = true;
    return longest;
  };
}

function answerOf(method: string): unknown {
  if (method === 'eth_chainId') return '0x1';
  if (method === 'eth_getCode') return '0x00';
  const hash = numberToHex(1, { size: 32 });
  return { number: '0x1', hash, parentHash: hash, timestamp: '0x1', baseFeePerGas: '0x1' };
}

/** What Multicall3 answers where every contract says one word. Written by hand, so that the node takes little time. */
function aggregated(data: string): string {
  const digits = data.slice(10);
  const at = (byte: number) => Number.parseInt(digits.slice(2 * byte, 2 * byte + WORD), 16);
  const count = at(32);
  const [heads, results]: [string[], string[]] = [[], []];
  for (let index = 0; index < count; index++) {
    const callData = 64 + at(64 + 32 * index) + 128;
    const selector = digits.slice(2 * callData, 2 * callData + 8);
    heads.push(word(32 * count + 128 * index));
    results.push(`${word(1)}${word(64)}${word(32)}${ANSWERS[selector] ?? word(0)}`);
  }
  return `0x${word(32)}${word(count)}${heads.join('')}${results.join('')}`;
}
