// What has to be allowed.
import type { Proposal } from '../src/index.ts';
import {
  AMOUNT,
  approval,
  ASKED,
  call,
  encode,
  exactIn,
  exactInOfPairs,
  exactOut,
  exactOutOfPairs,
  honest,
  ITSELF,
  LEAST,
  NATIVE,
  PAYEE,
  RELAYER,
  route,
  ROUTER,
  TAG,
  USDC,
  WBTC,
  WETH,
} from './proposals.ts';

const EXACT = { minAmountOut: AMOUNT };
const OWN = { ...ASKED, recipient: RELAYER };
const tagged = (calls: Proposal['calls']): Proposal['calls'] =>
  calls.map((each, index) => (index === calls.length - 1 ? { ...each, data: `${each.data}${TAG}` } : each));

export const honestOut: Proposal = {
  asked: { ...ASKED, tradeType: 'EXACT_OUT', limit: { maxAmountIn: AMOUNT + 5_000n } },
  calls: [approval(ROUTER, AMOUNT), route([exactOut({ bound: AMOUNT })])],
};
export const nativeIn: Proposal = {
  asked: { ...ASKED, tokenIn: NATIVE, tokenOut: USDC },
  calls: [route([exactIn({ tokenIn: WETH, tokenOut: USDC })], undefined, AMOUNT)],
};
export const nativeExactOut: Proposal = {
  asked: { ...nativeIn.asked, tradeType: 'EXACT_OUT', limit: { maxAmountIn: AMOUNT } },
  calls: [
    route(
      [exactOut({ tokenIn: WETH, tokenOut: USDC, bound: AMOUNT }), encode('refundETH')],
      undefined,
      AMOUNT,
    ),
  ],
};
export const nativeOut: Proposal = {
  asked: { ...ASKED, tokenOut: NATIVE },
  calls: [approval(), route([exactIn({ recipient: ITSELF }), encode('unwrapWETH9', [LEAST, PAYEE])])],
};
export const transfer: Proposal = {
  asked: { ...ASKED, tokenOut: USDC, limit: EXACT, tag: TAG },
  calls: tagged([call(USDC, encode('transfer', [PAYEE, AMOUNT]))]),
};
export const wrap: Proposal = {
  asked: { ...OWN, tokenIn: NATIVE, tokenOut: WETH, limit: EXACT },
  calls: [call(WETH, encode('deposit'), AMOUNT)],
};
export const unwrap: Proposal = {
  asked: { ...OWN, tokenIn: WETH, tokenOut: NATIVE, limit: EXACT },
  calls: [call(WETH, encode('withdraw', [AMOUNT]))],
};

export const topUp: Proposal = {
  asked: { ...ASKED, tokenIn: NATIVE, tokenOut: NATIVE, limit: EXACT },
  calls: [call(PAYEE, '0x', AMOUNT)],
};

/** Each by what it does. */
export const HONEST: Readonly<Record<string, Proposal>> = {
  'a swap for somebody else': honest,
  'a swap for the relayer': {
    asked: OWN,
    calls: [approval(), route([exactIn({ recipient: RELAYER })])],
  },
  'a swap in two ways': {
    asked: ASKED,
    calls: [
      approval(),
      route([exactIn({ amount: 400_000n, bound: 396_000n }), exactIn({ amount: 600_000n, bound: 594_000n })]),
    ],
  },
  'a swap that the router collects': {
    asked: ASKED,
    calls: [
      approval(),
      route([exactIn({ recipient: ITSELF, bound: 0n }), encode('sweepToken', [WETH, LEAST, PAYEE])]),
    ],
  },
  'a swap that was approved before': { asked: ASKED, calls: [route([exactIn()])] },
  'a swap whose approval is reset first': {
    asked: ASKED,
    calls: [approval(ROUTER, 0n), approval(), route([exactIn()])],
  },
  'a swap for a token that is only received': {
    asked: { ...ASKED, tokenOut: WBTC },
    calls: [approval(), route([exactIn({ tokenOut: WBTC })])],
  },
  'a swap of an exact output': honestOut,
  'a swap over pairs': { asked: ASKED, calls: [approval(), route([exactInOfPairs()])] },
  'a swap of an exact output over pairs': {
    asked: honestOut.asked,
    calls: [
      approval(ROUTER, AMOUNT),
      route([
        exactOutOfPairs({ recipient: ITSELF, bound: AMOUNT }),
        encode('sweepToken', [WETH, AMOUNT, PAYEE]),
      ]),
    ],
  },
  'a swap of an exact output over pairs and another pool': {
    asked: honestOut.asked,
    calls: [
      approval(ROUTER, AMOUNT),
      route([
        exactOutOfPairs({ recipient: ITSELF, amount: 400_000n, bound: 400_000n }),
        exactOut({ recipient: ITSELF, amount: 600_000n, bound: 600_000n }),
        encode('sweepToken', [WETH, AMOUNT, PAYEE]),
      ]),
    ],
  },
  'a swap of an exact output of native currency over pairs': {
    asked: { ...honestOut.asked, tokenOut: NATIVE },
    calls: [
      approval(ROUTER, AMOUNT),
      route([exactOutOfPairs({ recipient: ITSELF, bound: AMOUNT }), encode('unwrapWETH9', [AMOUNT, PAYEE])]),
    ],
  },
  'a swap of native currency': nativeIn,
  'a swap of native currency for an exact output': nativeExactOut,
  'a swap for native currency': nativeOut,
  'a swap of a plan': { asked: { ...ASKED, tag: TAG }, calls: tagged(honest.calls) },
  'a transfer of a plan': transfer,
  'native currency for another relayer': topUp,
  'native currency for the token that wraps it': wrap,
  'the token that wraps native currency for it': unwrap,
};
