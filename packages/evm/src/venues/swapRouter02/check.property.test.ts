import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, toAddress } from '@fairway/engine';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import {
  arbitraryRouteOrder,
  arbitraryWrapOrder,
  deployment,
  numbered,
} from '../../../test/arbitraryOrder.ts';
import type { Instruction, SwapOrder } from '../../types.ts';
import { buildSwap } from '../../swap/buildSwap.ts';
import { CALLER, MULTICALL_ABI, ROUTER_ABI } from './abi.ts';
import { verifySwap } from '../../swap/verifySwap.ts';
import { concat, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem';

/** A fault of a builder: the wrong instruction it would make, or undefined where the fault cannot occur. */
type Mutant = (instruction: Instruction) => Instruction | undefined;

function mutateCalls(change: (calls: readonly Hex[]) => readonly Hex[] | undefined): Mutant {
  return (instruction) => {
    const { args } = decodeFunctionData({ abi: MULTICALL_ABI, data: instruction.data });
    const calls = change(args[1]);
    if (calls === undefined) return undefined;
    return {
      ...instruction,
      data: encodeFunctionData({ abi: MULTICALL_ABI, functionName: 'multicall', args: [args[0], calls] }),
    };
  };
}

type Named = { readonly [name: string]: unknown };

/** Changes the first argument of any of these names, in the first call that has one. */
function mutateArgument(names: readonly string[], change: (value: never) => unknown): Mutant {
  return mutateCalls((calls) => {
    for (const [index, call] of calls.entries()) {
      const changed = withArgument(call, names, change);
      if (changed !== undefined) return calls.with(index, changed);
    }
    return undefined;
  });
}

function withArgument(
  call: Hex,
  names: readonly string[],
  change: (value: never) => unknown,
): Hex | undefined {
  const decoded = decodeFunctionData({ abi: ROUTER_ABI, data: call });
  const args: readonly unknown[] = decoded.args ?? [];
  const inputs = ROUTER_ABI.find(
    (item) => item.name === decoded.functionName && item.inputs.length === args.length,
  )?.inputs;
  const changedArgs = args.map((arg, position) => {
    const name = inputs?.[position]?.name;
    if (name !== 'params') return name !== undefined && names.includes(name) ? change(arg as never) : arg;
    const params = arg as Named;
    const key = names.find((candidate) => candidate in params);
    return key === undefined ? params : { ...params, [key]: change(params[key] as never) };
  });
  const changed = encodeFunctionData({
    abi: ROUTER_ABI,
    functionName: decoded.functionName,
    args: changedArgs as never,
  });
  return changed === call ? undefined : changed;
}

const thief = numbered(0x99);
const plusOne = (value: bigint): bigint => value + 1n;
const PERMIT_ABI = parseAbi(['function approveMax(address token)']);

const REFUND = encodeFunctionData({ abi: ROUTER_ABI, functionName: 'refundETH' });

function sweep(token: Address, minimum: bigint, payee?: Address): Hex {
  const args = payee === undefined ? ([token, minimum] as const) : ([token, minimum, payee] as const);
  return encodeFunctionData({ abi: ROUTER_ABI, functionName: 'sweepToken', args });
}

/** The token of a sweep; undefined for another call. */
function sweptToken(call: Hex): Address | undefined {
  const decoded = decodeFunctionData({ abi: ROUTER_ABI, data: call });
  return decoded.functionName === 'sweepToken' ? toAddress(decoded.args[0]) : undefined;
}

/** Whether a call returns what the swaps leave in the router: it has no minimum. */
function isReturn(call: Hex): boolean {
  if (call === REFUND) return true;
  const decoded = decodeFunctionData({ abi: ROUTER_ABI, data: call });
  return decoded.functionName === 'sweepToken' && decoded.args[1] === 0n;
}

function isExactOutputOfPairs(call: Hex): boolean {
  const decoded = decodeFunctionData({ abi: ROUTER_ABI, data: call });
  return decoded.functionName === 'swapTokensForExactTokens';
}

/** Changes the first call that returns something and that the change applies to. */
function changeReturn(change: (call: Hex) => readonly Hex[] | undefined): Mutant {
  return mutateCalls((calls) => {
    for (const [index, call] of calls.entries()) {
      const changed = isReturn(call) ? change(call) : undefined;
      if (changed !== undefined) return calls.toSpliced(index, 1, ...changed);
    }
    return undefined;
  });
}

const routerMutants: Record<string, Mutant> = {
  'recipient of a swap': mutateArgument(['recipient', 'to'], () => thief),
  'recipient of the last payment': mutateCalls((calls) => {
    const last = calls.at(-1);
    const changed = last && withArgument(last, ['recipient', 'to'], () => thief);
    return changed && calls.with(-1, changed);
  }),
  'minimum lowered by 1': mutateArgument(
    ['amountOutMinimum', 'amountOutMin', 'amountMinimum'],
    (value: bigint) => (value > 0n ? value - 1n : value + 1n),
  ),
  'minimum raised by 1': mutateArgument(['amountOutMinimum', 'amountOutMin', 'amountMinimum'], plusOne),
  'maximum raised by 1': mutateArgument(['amountInMaximum', 'amountInMax'], plusOne),
  'input raised by 1': mutateArgument(['amountIn'], plusOne),
  'input 0, read as the whole balance': mutateArgument(['amountIn'], () => 0n),
  'output raised by 1': mutateArgument(['amountOut'], plusOne),
  'fee tier': mutateArgument(['fee'], (fee: number) => (fee === 500 ? 3000 : 500)),
  'fee in a packed path': mutateArgument(['path'], (path: Hex | readonly Hex[]) =>
    typeof path === 'string'
      ? (`${path.slice(0, 42)}000064${path.slice(48)}` as Hex).replace(
          '000064',
          path.slice(42, 48) === '000064' ? '0001f4' : '000064',
        )
      : path,
  ),
  'first token of a path': mutateArgument(['path'], (path: Hex | readonly Hex[]) =>
    typeof path === 'string' ? concat([thief, `0x${path.slice(42)}`]) : path.with(0, thief),
  ),
  'last token of a path': mutateArgument(['path'], (path: Hex | readonly Hex[]) =>
    typeof path === 'string' ? concat([path.slice(0, -40) as Hex, thief]) : path.with(-1, thief),
  ),
  'token in': mutateArgument(['tokenIn'], () => thief),
  'token out': mutateArgument(['tokenOut', 'token'], () => thief),
  'price limit': mutateArgument(['sqrtPriceLimitX96'], plusOne),
  'trailing byte in a call': mutateCalls((calls) => calls.with(0, concat([calls[0] ?? '0x', '0x00']))),
  'dirty padding of an address': mutateCalls((calls) => {
    const [first = '0x'] = calls;
    const at = /0{24}(?=[1-9a-f][0-9a-f]{39})/.exec(first)?.index;
    return at === undefined
      ? undefined
      : calls.with(0, `${first.slice(0, at)}ff${first.slice(at + 2)}` as Hex);
  }),
  'call appended': mutateCalls((calls) => [
    ...calls,
    encodeFunctionData({ abi: ROUTER_ABI, functionName: 'pull', args: [thief, 1n] }),
  ]),
  'sweep to a stranger put before the payment': mutateCalls((calls) => [
    ...calls.slice(0, -1),
    encodeFunctionData({ abi: ROUTER_ABI, functionName: 'sweepToken', args: [numbered(0x22), 0n, thief] }),
    ...calls.slice(-1),
  ]),
  'refund appended': mutateCalls((calls) => [
    ...calls,
    encodeFunctionData({ abi: ROUTER_ABI, functionName: 'refundETH' }),
  ]),
  'what is left is not returned': changeReturn(() => []),
  'only native currency is not returned': changeReturn((call) => (call.startsWith(REFUND) ? [] : undefined)),
  'what is left is returned to the recipient': changeReturn((call) => {
    const token = sweptToken(call);
    return token === undefined ? undefined : [sweep(token, 0n, numbered(0x11))];
  }),
  'another token is returned instead': changeReturn((call) =>
    sweptToken(call) === undefined ? undefined : [sweep(thief, 0n)],
  ),
  'what is left is demanded': changeReturn((call) => {
    const token = sweptToken(call);
    return token === undefined ? undefined : [sweep(token, 1n)];
  }),
  'what is left is returned twice': changeReturn((call) => [call, call]),
  'what is left is returned after the payment': mutateCalls((calls) => {
    const at = calls.findIndex(isReturn);
    return at < 0 || at === calls.length - 1 || calls.slice(at).every(isReturn)
      ? undefined
      : [...calls.toSpliced(at, 1), calls[at] ?? '0x'];
  }),
  'the output is swept to the caller before the payment': mutateCalls((calls) => {
    const last = calls.at(-1) ?? '0x';
    const token = isReturn(last) ? undefined : sweptToken(last);
    return token === undefined ? undefined : [...calls.slice(0, -1), sweep(token, 0n), last];
  }),
  'exact outputs of pairs go past the minimum behind them': mutateCalls((calls) => {
    const last = decodeFunctionData({ abi: ROUTER_ABI, data: calls.at(-1) ?? '0x' });
    if (last.functionName !== 'sweepToken') return undefined;
    const payee = last.args[2] ?? CALLER;
    const direct = calls
      .slice(0, -1)
      .map((call) => withArgument(call, ['recipient', 'to'], () => payee) ?? call);
    return direct.some(isExactOutputOfPairs) ? direct : undefined;
  }),
  'unknown function appended': mutateCalls((calls) => [
    ...calls,
    encodeFunctionData({ abi: PERMIT_ABI, functionName: 'approveMax', args: [thief] }),
  ]),
  'first call dropped': mutateCalls((calls) => calls.slice(1)),
  'last call dropped': mutateCalls((calls) => calls.slice(0, -1)),
  'call repeated': mutateCalls((calls) => [...calls.slice(0, 1), ...calls]),
  deadline: (instruction) => {
    const { args } = decodeFunctionData({ abi: MULTICALL_ABI, data: instruction.data });
    const later = [args[0] + 1n, args[1]] as const;
    return {
      ...instruction,
      data: encodeFunctionData({ abi: MULTICALL_ABI, functionName: 'multicall', args: later }),
    };
  },
  'no deadline': (instruction) => {
    const { args } = decodeFunctionData({ abi: MULTICALL_ABI, data: instruction.data });
    const abi = parseAbi(['function multicall(bytes[] data) payable returns (bytes[])']);
    return { ...instruction, data: encodeFunctionData({ abi, functionName: 'multicall', args: [args[1]] }) };
  },
};

const anyMutants: Record<string, Mutant> = {
  'trailing byte': (instruction) => ({ ...instruction, data: concat([instruction.data, '0x00']) }),
  'value raised by 1': (instruction) => ({ ...instruction, value: instruction.value + 1n }),
  'value dropped': (instruction) => (instruction.value === 0n ? undefined : { ...instruction, value: 0n }),
  target: (instruction) => ({ ...instruction, to: thief }),
};

function built(order: SwapOrder): Instruction {
  const result = buildSwap(deployment, order);
  assert.ok(result.ok, result.ok ? '' : result.detail);
  return result.instruction;
}

const arbitraryOrder = fc.oneof({ weight: 4, arbitrary: arbitraryRouteOrder }, arbitraryWrapOrder);

test('every built instruction matches its order, with the limit that is reported', () => {
  fc.assert(
    fc.property(arbitraryOrder, (order) => {
      const result = buildSwap(deployment, order);
      assert.ok(result.ok);
      const verified = verifySwap(deployment, order, result.instruction);
      assert.deepEqual(verified, { ok: true, limit: result.limit });
    }),
    { seed, numRuns: 300 },
  );
});

for (const [name, mutant] of Object.entries({ ...routerMutants, ...anyMutants }))
  test(`a changed instruction is refused: ${name}`, () => {
    let caught = 0;
    fc.assert(
      fc.property(arbitraryOrder, (order) => {
        const instruction = built(order);
        if (name in routerMutants && instruction.to.toLowerCase() !== deployment.router) return;
        const mutated = mutant(instruction);
        if (mutated === undefined) return;
        assert.equal(verifySwap(deployment, order, mutated).ok, false);
        caught += 1;
      }),
      { seed, numRuns: 60 },
    );
    assert.ok(caught > 0, 'no order was open to this change');
  });

test('calldata with any single bit changed is refused', () => {
  fc.assert(
    fc.property(arbitraryOrder, fc.nat(), (order, position) => {
      const instruction = built(order);
      const bytes = Buffer.from(instruction.data.slice(2), 'hex');
      const bit = position % (bytes.length * 8);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const flipped: Instruction = { ...instruction, data: `0x${bytes.toString('hex')}` };
      assert.equal(verifySwap(deployment, order, flipped).ok, false);
    }),
    { seed, numRuns: 400 },
  );
});

test('an instruction carries the reference of its order, and no other', () => {
  const arbitraryReference = fc
    .uint8Array({ minLength: 1, maxLength: 32 })
    .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
  fc.assert(
    fc.property(arbitraryOrder, arbitraryReference, arbitraryReference, (plain, reference, other) => {
      fc.pre(other !== reference);
      const order = { ...plain, reference };
      const instruction = built(order);
      assert.equal(instruction.data, concat([built(plain).data, reference]));
      assert.deepEqual(
        verifySwap(deployment, order, instruction),
        verifySwap(deployment, plain, built(plain)),
      );
      assert.equal(verifySwap(deployment, plain, instruction).ok, false);
      assert.equal(verifySwap(deployment, order, built(plain)).ok, false);
      assert.equal(verifySwap(deployment, { ...plain, reference: other }, instruction).ok, false);
      const twice = { ...instruction, data: concat([instruction.data, reference]) };
      assert.equal(verifySwap(deployment, order, twice).ok, false);
    }),
    { seed, numRuns: 200 },
  );
});

test('an instruction for another order is refused', () => {
  fc.assert(
    fc.property(arbitraryRouteOrder, arbitraryRouteOrder, (order, other) => {
      const instruction = built(other);
      fc.pre(instruction.data !== built(order).data);
      assert.equal(verifySwap(deployment, order, instruction).ok, false);
    }),
    { seed },
  );
});
