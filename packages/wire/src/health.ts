import { type Static, Type } from 'typebox';
import { BlockHash, BlockNumber, ChainId, EvmAddress, Timestamp, Trust, wordOf } from './fields.ts';

/** The state of one chain's market. */
export const ChainHealth = Type.Object({
  chainId: ChainId,
  name: Type.String(),
  status: wordOf(
    [
      'OK',
      'SYNCING',
      'NO_CONTACT',
      'NODES_DISAGREE',
      'LAGGING',
      'CLOCK_DIFFERS',
      'BLOCK_TOO_OLD',
      'BLOCK_IN_FUTURE',
    ],
    {
      description:
        'OK: quotes are served. NODES_DISAGREE: quotes and swaps answer 503 nodes-disagree. CLOCK_DIFFERS: the clock of this process and that of the database differ. Anything else: they answer 503 market-stale.',
    },
  ),
  trust: wordOf(['SINGLE_NODE', 'AGREED'], {
    description:
      'SINGLE_NODE: what one node says of the chain is believed. AGREED: only what as many nodes as the operator demands say alike.',
  }),
  nodes: Trust,
  head: Type.Optional(
    Type.Object(
      { number: BlockNumber, hash: BlockHash, timestamp: Timestamp },
      { description: 'The block the market stands at; absent before the first.' },
    ),
  ),
  lagBlocks: Type.Integer({ minimum: 0, description: "Blocks the market is behind the node's latest." }),
  pools: Type.Integer({ minimum: 0, description: 'Pools in the market.' }),
  leftOut: Type.Optional(
    Type.Array(
      Type.Object({
        address: EvmAddress,
        reason: Type.String({ description: 'What its contract does that keeps it out.' }),
      }),
      {
        description:
          'Listed tokens that cannot be read, and pools of listed tokens that cannot be. Absent where all can be. The status does not depend on it. Tokens that can be read and are not traded: GET /v1/markets/tokens.',
      },
    ),
  ),
  reading: Type.Optional(
    Type.Object(
      {
        pools: Type.Integer({ minimum: 0, description: 'Pools that were found.' }),
        poolsRead: Type.Integer({ minimum: 0, description: 'Pools of these that are read.' }),
        requestsLeft: Type.Integer({
          minimum: 0,
          description: 'About how many requests each node is still asked.',
        }),
      },
      {
        description:
          'How far the reading of the market is; absent when it is not being read, and until its pools are found.',
      },
    ),
  ),
  record: Type.Optional(
    Type.Object(
      {
        state: wordOf(['AT_HEAD', 'CATCHING_UP'], {
          description:
            'CATCHING_UP: blocks are being read that were missed, or cannot be read for now. Until then plans of the chain get no instructions; quotes and swaps are not affected.',
        }),
        readBlock: Type.Optional(BlockNumber),
        lagBlocks: Type.Optional(
          Type.Integer({
            minimum: 0,
            description:
              'Blocks that the record is behind the market of this process. It grows where no process can read on.',
          }),
        ),
        unread: Type.Optional(
          Type.Integer({
            minimum: 0,
            description:
              'Transfers to settlement addresses whose transactions are still to be read, the largest first; 10,000 at most are counted. Deposits do not wait for them, only the instructions of plans whose swap one of them may be.',
          }),
        ),
      },
      { description: 'How far the chain was read for payment plans, by whichever process reads it.' },
    ),
  ),
  detail: Type.Optional(Type.String({ description: 'What is wrong, when something is.' })),
});
export type ChainHealth = Static<typeof ChainHealth>;

/** Response of GET /health. Always 200: the body says what is wrong. */
export const Health = Type.Object(
  {
    status: wordOf(['OK', 'DEGRADED'], {
      description: 'OK when every chain is, and its record is at the head.',
    }),
    version: Type.String({ description: 'Version of the service.' }),
    environment: wordOf(['sandbox', 'production'], { description: 'What this deployment serves.' }),
    time: Timestamp,
    chains: Type.Array(ChainHealth),
  },
  { description: 'How the service stands. Always 200: the body says what is wrong.' },
);
export type Health = Static<typeof Health>;

/** Response of /livez and /readyz when all is well. */
export const ProbeAnswer = Type.Object({ status: wordOf(['OK'], { description: 'All is well.' }) });
