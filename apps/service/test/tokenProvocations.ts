import { type AskNode, makeHostile, makeShares } from '@fairway/testing';
import type { Provocations, Reply } from './provocation.ts';

type AskTrade = (changes: { readonly tokenIn: string }) => Promise<Reply>;

/** A way to provoke each problem of what tokens do with transfers. */
export function tokenProvocations(
  rpc: AskNode,
  addressOf: (symbol: string) => string,
  { quote, swap }: { readonly quote: AskTrade; readonly swap: AskTrade },
): Provocations {
  return {
    'token-not-traded': [
      {
        when: 'a tax was found by a swap that failed for it',
        ask: async () => {
          const tokenIn = addressOf('UNI');
          const undo = await makeHostile(rpc, tokenIn, 'keeps a part of all transfers');
          try {
            await swap({ tokenIn });
            return await quote({ tokenIn });
          } finally {
            await undo();
          }
        },
        pointers: ['/query/tokenIn'],
        detail: /a transfer of \d+ units/,
      },
    ],
    'holdings-needed': [
      {
        when: 'a share token is sold by nobody',
        ask: async () => {
          const tokenIn = addressOf('LINK');
          const undo = await makeShares(rpc, tokenIn, { shares: 3n, pooled: 4n });
          try {
            return await swap({ tokenIn });
          } finally {
            await undo();
          }
        },
        detail: /holds \d+ units/,
      },
    ],
  };
}
