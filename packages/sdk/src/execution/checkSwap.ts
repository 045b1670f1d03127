import { UnsafeAnswerError, type UnsafeReason } from '../errors/refusals.ts';
import { readCalldata } from './calldata.ts';
import { type CheckedCall, type CheckedSwap, type GivenCall, NATIVE, type Order } from './order.ts';
import { CALLER, readMulticall, ROUTER_ITSELF, type RouterCall } from './routerCalls.ts';

/** `approve(address,uint256)` */
const APPROVE = '095ea7b3';
/** `transfer(address,uint256)` */
const TRANSFER = 'a9059cbb';
/** `deposit()` and `withdraw(uint256)` of the token that wraps native currency. */
const DEPOSIT = 'd0e30db0';
const WITHDRAW = '2e1a7d4d';
/** A tag of a plan, in hex digits. */
const TAG = 32;
/** A reset to zero, and the approval. */
const MOST_APPROVALS = 2;

/**
 * Takes instructions apart, and compares all that they do with what was ordered. The last one is the swap, and before it
 * are approvals of its input alone.
 * @throws UnsafeAnswerError for anything else.
 */
export function checkSwap(given: readonly GivenCall[], order: Order): CheckedSwap {
  const calls = given.map((call) => callOf(call, order));
  const last = calls.at(-1);
  if (last === undefined) throw unsafe('CALLS', 'there are no calls.');
  const data = order.hasTag ? last.data.slice(0, -TAG) : last.data;
  const { taken, approved } = checkLast({ ...last, data: data as `0x${string}` }, order);
  checkApprovals(calls.slice(0, -1), order, approved);
  return { calls, taken };
}

/** The error of an answer that is not to be signed. */
function unsafe(reason: UnsafeReason, detail: string): UnsafeAnswerError {
  return new UnsafeAnswerError(reason, detail);
}

function callOf({ kind, chainId, to, data, value }: GivenCall, order: Order): CheckedCall {
  if (chainId !== order.chainId)
    throw unsafe('CHAIN', `a call is for chain ${chainId}, not ${order.chainId}.`);
  const isCall = kind === 'EVM_CALL' && /^0x[0-9a-fA-F]{40}$/.test(to) && /^0x([0-9a-fA-F]{2})*$/.test(data);
  if (!isCall || !/^\d{1,78}$/.test(value)) throw unsafe('CALLDATA', 'a call is malformed.');
  return { to: to as `0x${string}`, data: data.toLowerCase() as `0x${string}`, value: BigInt(value) };
}

/** How much a call can take of the input, and how much of that the router has to be approved for. */
type Taking = { readonly taken: bigint; readonly approved: bigint };

function checkLast(call: CheckedCall, order: Order): Taking {
  const { tokenIn, tokenOut, wrappedNative } = order;
  const target = call.to.toLowerCase();
  if (tokenIn === tokenOut) return checkTransfer(call, order);
  const sides = [tokenIn, tokenOut];
  const isExchange = sides.includes(NATIVE) && wrappedNative !== undefined && sides.includes(wrappedNative);
  if (isExchange && target === wrappedNative) return checkExchange(call, order);
  if (target !== order.router) throw unsafe('ROUTER', `the swap calls ${call.to}, not ${order.router}.`);
  const read = readMulticall(call.data);
  if (read === undefined) throw unsafe('CALLDATA', 'the calldata is no canonical call of the router.');
  checkDeadline(read.deadlineSeconds, order);
  const effect = effectOf(read.calls, order);
  checkAmounts(effect, order);
  const value = tokenIn === NATIVE ? effect.taken : 0n;
  if (call.value !== value) throw unsafe('AMOUNT', `the swap sends ${call.value} wei, not ${value}.`);
  if (tokenIn === NATIVE && order.tradeType === 'EXACT_OUT' && !effect.isRefunded)
    throw unsafe('CALLS', 'what is left of the native currency does not come back.');
  return { taken: effect.taken, approved: tokenIn === NATIVE ? 0n : effect.taken };
}

function checkDeadline(deadlineSeconds: bigint, { nowSeconds, lastSeconds }: Order): void {
  if (deadlineSeconds <= nowSeconds) throw unsafe('EXPIRED', 'the deadline of the swap has passed.');
  if (deadlineSeconds > lastSeconds)
    throw unsafe('DEADLINE', 'the swap can be executed for longer than was asked.');
}

/** What the calls inside of a swap do together. */
type Effect = { taken: bigint; paid: bigint; isRefunded: boolean };

function effectOf(calls: readonly RouterCall[], order: Order): Effect {
  const effect: Effect = { taken: 0n, paid: 0n, isRefunded: false };
  for (const call of calls) {
    switch (call.kind) {
      case 'SWAP':
        addSwap(effect, call, order);
        break;
      case 'SWEEP':
        if (isPaid(call.payee, order) && call.token === order.tokenOut) effect.paid += call.minimum;
        break;
      case 'UNWRAP':
        if (isPaid(call.payee, order) && order.tokenOut === NATIVE) effect.paid += call.minimum;
        break;
      case 'REFUND':
        effect.isRefunded = true;
        break;
      case 'WRAP':
        if (order.tokenIn !== NATIVE)
          throw unsafe('CALLS', 'it wraps native currency, and none is the input.');
        effect.taken += call.amount;
        break;
      case 'PULL':
        if (call.token !== order.tokenIn)
          throw unsafe('TOKEN', `it takes ${call.token}, not ${order.tokenIn}.`);
        effect.taken += call.amount;
    }
  }
  return effect;
}

function addSwap(effect: Effect, call: Extract<RouterCall, { kind: 'SWAP' }>, order: Order): void {
  const isExactIn = call.tradeType === 'EXACT_IN';
  if (call.tradeType !== order.tradeType) throw unsafe('AMOUNT', `it is ${call.tradeType}.`);
  // An exact input of zero is what the router holds, from the swap before.
  if (!isExactIn || call.exact > 0n) {
    const input = order.tokenIn === NATIVE ? order.wrappedNative : order.tokenIn;
    if (call.tokenIn !== input) throw unsafe('TOKEN', `it takes ${call.tokenIn}, not ${order.tokenIn}.`);
    effect.taken += isExactIn ? call.exact : call.bound;
  }
  if (call.payee === ROUTER_ITSELF) return;
  const payee = call.payee === CALLER ? order.sender : call.payee;
  if (isPaid(payee, order) && call.tokenOut === order.tokenOut) effect.paid += call.least;
}

/** Whether a payment goes to the recipient. The rest may go to whoever pays, and nothing to anybody else. */
function isPaid(payee: string | undefined, { recipient, sender }: Order): boolean {
  const paid = payee ?? sender;
  if (paid !== recipient && paid !== sender) throw unsafe('RECIPIENT', `it pays ${paid}, not ${recipient}.`);
  return paid === recipient;
}

function checkAmounts({ taken, paid }: Effect, { tradeType, amount, limit }: Order): void {
  if (tradeType === 'EXACT_IN') {
    const least = BigInt('minAmountOut' in limit ? limit.minAmountOut : missing('minAmountOut'));
    if (taken !== amount) throw unsafe('AMOUNT', `it takes ${taken}, not ${amount}.`);
    if (paid < least) throw unsafe('LIMIT', `it may pay as little as ${paid}; your minimum is ${least}.`);
  } else {
    const most = BigInt('maxAmountIn' in limit ? limit.maxAmountIn : missing('maxAmountIn'));
    if (paid < amount) throw unsafe('AMOUNT', `it may pay as little as ${paid}, not ${amount}.`);
    if (taken > most) throw unsafe('LIMIT', `it may take as much as ${taken}; your maximum is ${most}.`);
  }
}

function missing(name: string): never {
  throw new TypeError(`limit needs ${name} for this trade.`);
}

/** Native currency for the token that wraps it, or back: the token pays whoever executes. */
function checkExchange({ data, value }: CheckedCall, order: Order): Taking {
  if (order.recipient !== order.sender) throw unsafe('RECIPIENT', 'it pays whoever executes.');
  const isIn = order.tokenIn === NATIVE;
  const expected = isIn ? `0x${DEPOSIT}` : `0x${WITHDRAW}${order.amount.toString(16).padStart(64, '0')}`;
  if (data !== expected || value !== (isIn ? order.amount : 0n))
    throw unsafe('AMOUNT', 'it exchanges another amount.');
  checkAmounts({ taken: order.amount, paid: order.amount, isRefunded: false }, order);
  return { taken: order.amount, approved: 0n };
}

/** A plan that pays out its own token sends it, and swaps nothing. */
function checkTransfer({ to, data, value }: CheckedCall, { tokenIn, recipient, amount }: Order): Taking {
  const read = readCalldata(data);
  if (to.toLowerCase() !== tokenIn) throw unsafe('TOKEN', `it sends ${to}, not ${tokenIn}.`);
  if (read?.selector !== TRANSFER || read.words.length !== 2 || value !== 0n)
    throw unsafe('CALLDATA', 'it is no transfer.');
  if (read.words.address(0) !== recipient) throw unsafe('RECIPIENT', `it does not pay ${recipient}.`);
  if (read.words.uint(1) !== amount) throw unsafe('AMOUNT', `it sends ${read.words.uint(1)}, not ${amount}.`);
  return { taken: amount, approved: 0n };
}

/** Approvals let the router take what the swap can take, and nothing more. A reset to zero may come before. */
function checkApprovals(calls: readonly CheckedCall[], order: Order, approved: bigint): void {
  if (calls.length > (approved === 0n ? 0 : MOST_APPROVALS))
    throw unsafe('CALLS', 'there are more calls than the swap needs.');
  for (const [index, { to, data, value }] of calls.entries()) {
    const read = readCalldata(data);
    if (read?.selector !== APPROVE || read.words.length !== 2 || value !== 0n)
      throw unsafe('CALLS', `call ${index} is no approval.`);
    if (to.toLowerCase() !== order.tokenIn) throw unsafe('TOKEN', `it approves ${to}, not ${order.tokenIn}.`);
    if (read.words.address(0) !== order.router)
      throw unsafe('SPENDER', `it approves another than ${order.router}.`);
    const amount = read.words.uint(1);
    const expected = index === calls.length - 1 ? approved : 0n;
    if (amount !== expected) throw unsafe('APPROVAL', `it approves ${amount}, not ${expected}.`);
  }
}
