import { concatHex, type Hex, numberToHex, sliceHex } from 'viem';
import { about, type Lie, when } from './lie.ts';

type SimulatedCall = { readonly status: string; readonly returnData: Hex; readonly gasUsed: string };
type Block = { readonly calls: readonly SimulatedCall[] };
type AskedCall = { readonly to?: string; readonly data?: string };

/** Changes the calls of the simulated blocks. `asked` are the calls of the request. */
function aboutSimulations(
  change: (calls: readonly SimulatedCall[], asked: readonly AskedCall[]) => readonly object[],
): Lie {
  return about(['eth_simulateV1'], (result, { params: [options] }) => {
    const { blockStateCalls } = options as {
      readonly blockStateCalls: readonly { calls: readonly AskedCall[] }[];
    };
    return (result as readonly Block[]).map((block, index) => ({
      ...block,
      calls: change(block.calls, blockStateCalls[index]?.calls ?? []),
    }));
  });
}

/** Everything that is read twice has changed only by half of its real change. */
export const halvedDeltas: Lie = aboutSimulations((calls, asked) =>
  calls.map((call, index) => {
    const sameAs = ({ to, data }: AskedCall) => to === asked[index]?.to && data === asked[index]?.data;
    const before = calls[asked.findIndex(sameAs)];
    if (before === undefined || before === call || before.returnData.length !== call.returnData.length)
      return call;
    return { ...call, returnData: halfWay(before.returnData, call.returnData) };
  }),
);

function halfWay(before: Hex, after: Hex): Hex {
  const count = Math.floor((after.length - 2) / 64);
  if (count === 0) return after;
  const words = Array.from({ length: count }, (_, index) => {
    const [from, to] = [before, after].map((each) => BigInt(sliceHex(each, 32 * index, 32 * index + 32)));
    return numberToHex(((from ?? 0n) + (to ?? 0n)) / 2n, { size: 32 });
  });
  return concatHex(words);
}

/** Every simulated call fails. */
export const everythingFails: Lie = aboutSimulations((calls) =>
  calls.map((call) => ({
    ...call,
    status: '0x0',
    returnData: '0x',
    error: { code: 3, message: 'reverted' },
  })),
);

/** Every simulated call passes, and no balance changes. */
export const everythingPasses: Lie = aboutSimulations((calls, asked) =>
  calls.map((call, index) => {
    const first = asked.findIndex(({ to, data }) => to === asked[index]?.to && data === asked[index]?.data);
    return { ...call, status: '0x1', returnData: calls[first]?.returnData ?? call.returnData };
  }),
);

/** The results are true, and the gas cannot be read. */
export const unreadableGas: Lie = aboutSimulations((calls) =>
  calls.map((call) => ({ ...call, gasUsed: 'much' })),
);

/** Simulations are refused, as by a node without the method. */
export const simulationRefused: Lie = when(
  ({ method }) => method === 'eth_simulateV1',
  () => ({
    error: { code: -32_601, message: 'the method eth_simulateV1 does not exist' },
  }),
);

/** No call reads a storage word. */
export const emptyAccessLists: Lie = about(['eth_createAccessList'], () => ({
  accessList: [],
  gasUsed: '0x1',
}));
