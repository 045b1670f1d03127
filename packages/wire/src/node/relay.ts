import { type Static, Type } from 'typebox';
import { Amount, ChainId, EvmAddress, Timestamp, TxHash, wordOf } from '../fields.ts';
import { pageOf, pageQuery } from '../pages.ts';
import { ExecutionFailure, Receipt } from './executions.ts';

const Nonce = Type.Integer({ minimum: 0, description: 'A nonce of the relayer.' });
/** The id of a relayer. */
export const RelayerId = Type.String({
  description: 'The id of a relayer: its chain and its address.',
  examples: ['31337-0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
});
/** Whether a relayer works. */
export const RelayerState = wordOf(['WORKING', 'STARTING', 'NODES_AWAY', 'SIGNER_AWAY', 'FAILING'], {
  description:
    'WORKING: its latest look at the chain went well. STARTING: the nodes of its chain did not answer since the node was started. NODES_AWAY: they do not answer alike now. SIGNER_AWAY: its signer does not sign, or not what it was asked for. FAILING: something else; the log says what.',
});
export type RelayerState = Static<typeof RelayerState>;

/** Why a relayer binds nothing. */
export const DisabledReason = wordOf(
  ['NONCES_UNKNOWN', 'DATABASE_OLDER', 'KEY_USED_ELSEWHERE', 'JOURNAL_MISSING'],
  { description: 'Why nothing new is bound until it is reconciled.' },
);

/** How another relayer fills one up. */
export const TopUpView = Type.Object(
  {
    from: { ...EvmAddress, description: 'The relayer that fills it up.' },
    below: { ...Amount, description: 'With less than this it is filled up, in wei.' },
    amount: { ...Amount, description: 'How much is sent, in wei.' },
    relayTransactionId: Type.Optional(
      Type.String({ description: 'The top-up that is under way. Absent: none is.' }),
    ),
    failure: Type.Optional(ExecutionFailure),
  },
  {
    description:
      'How the policy has another relayer fill this one up. `failure`: why the last try was refused.',
  },
);

/** A key on one chain. */
export const RelayerView = Type.Object(
  {
    relayerId: RelayerId,
    address: EvmAddress,
    chainId: ChainId,
    signer: wordOf(['KEYSTORE', 'AWS_KMS', 'WEB3SIGNER'], { description: 'What holds its key.' }),
    state: RelayerState,
    balance: Type.Optional({
      ...Amount,
      description:
        'Native currency that it has for gas and value, in wei. Absent, as the two nonces of the chain are, while the nodes do not answer alike.',
    }),
    nonceLatest: Type.Optional({ ...Nonce, description: 'How many transactions the chain has of it.' }),
    nonceFinal: Type.Optional({
      ...Nonce,
      description: 'How many of them are in blocks that cannot be replaced.',
    }),
    nextNonce: Type.Optional({
      ...Nonce,
      description:
        'What the next instruction is bound to. Absent, as pending, waiting and paused are, until its chain answers for the first time.',
    }),
    pending: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Bound instructions that have not ended.' }),
    ),
    waiting: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Instructions without a nonce: they wait for funds, for others, or for the end of a pause.',
      }),
    ),
    oldestPendingSec: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'How long the oldest waits that is pending or waiting. Absent: none is.',
      }),
    ),
    paused: Type.Optional(Type.Boolean({ description: 'An operator has paused it: nothing new is bound.' })),
    disabledReason: Type.Optional(DisabledReason),
    lowBalance: Type.Optional(
      Type.Boolean({
        description:
          'It has less than one more execution may cost, by the policy and the highest fee: fund it.',
      }),
    ),
    stuckNonce: Type.Optional({
      ...Nonce,
      description: 'The nonce that has waited for its block for too long. Absent: none has.',
    }),
    topUp: Type.Optional(TopUpView),
  },
  { description: 'A key on one chain.' },
);
export type RelayerView = Static<typeof RelayerView>;

/** Every relayer. */
export const RelayerList = Type.Array(RelayerView);

/** Response of GET /relay/health. */
export const RelayHealth = Type.Object(
  {
    status: wordOf(['OK', 'DEGRADED'], { description: 'OK: every relayer is WORKING.' }),
    relayers: Type.Array(
      Type.Object({
        relayerId: RelayerId,
        chainId: ChainId,
        address: EvmAddress,
        state: RelayerState,
      }),
    ),
  },
  { description: 'Whether each relayer works, as its latest look went.' },
);
export type RelayHealth = Static<typeof RelayHealth>;

/** Path of a relayer. */
export const RelayerPath = Type.Object({ relayerId: RelayerId });

/** Response of POST /relay/relayers/{relayerId}/reconcile. */
export const Reconciliation = Type.Object(
  {
    relayer: RelayerView,
    bound: Type.Integer({
      minimum: 0,
      description: 'How many cancellations were bound now to nonces that something unknown may have.',
    }),
    open: Type.Integer({
      minimum: 0,
      description:
        'How many bound instructions are not final. With none the relayer goes on; else ask again.',
    }),
  },
  { description: 'How far a relayer is from knowing all its nonces again.' },
);

/** Response of POST /relay/relayers/{relayerId}/cancel-pending. */
export const CancelledPending = Type.Object(
  {
    relayer: RelayerView,
    asked: Type.Integer({
      minimum: 0,
      description:
        'For how many instructions the cancellation was asked now. The receipts say what came of it.',
    }),
  },
  { description: 'Everything that had not ended is to be cancelled.' },
);

/** A signed transaction of an instruction. */
export const AttemptView = Type.Object(
  {
    txHash: TxHash,
    purpose: wordOf(['EXECUTE', 'CANCEL'], { description: 'CANCEL only uses the nonce.' }),
    maxFeePerGas: Amount,
    maxPriorityFeePerGas: Amount,
    signedAtBlock: Type.Integer({ minimum: 0 }),
    wasSent: Type.Boolean({ description: 'Whether it was given to a node.' }),
  },
  { description: 'A signed transaction. All of an instruction share its nonce.' },
);

const RELAY_TRANSACTION = {
  ...Receipt.properties,
  executionId: Type.String(),
  relayerId: RelayerId,
  to: EvmAddress,
  data: Type.String({ description: 'Calldata as hex.' }),
  value: Amount,
  notAfter: Type.Optional(Timestamp),
  isCancelAsked: Type.Boolean({ description: 'Its cancellation was asked for.' }),
};

/** An instruction with all its attempts. */
export const RelayTransaction = Type.Object(
  {
    ...RELAY_TRANSACTION,
    attempts: Type.Array(AttemptView, { description: 'Oldest first.' }),
  },
  { description: 'An instruction that the node executes.' },
);
export type RelayTransaction = Static<typeof RelayTransaction>;

/** Path of an instruction. */
export const TransactionPath = Type.Object({ relayTransactionId: Type.String() });

/** Query of the list of instructions. */
export const TransactionsQuery = Type.Object(
  {
    status: Type.Optional({
      ...wordOf(['OPEN', 'ENDED'], { description: 'OPEN: without an end. ENDED: final.' }),
    }),
    relayerId: Type.Optional(RelayerId),
    executionId: Type.Optional(Type.String()),
    ...pageQuery('transactions'),
  },
  { additionalProperties: false },
);

/** A page of instructions. */
export const TransactionList = pageOf(RelayTransaction, 'The newest first.', 'A page of instructions.');

/** Query of the instruction that has a nonce. */
export const ByNonceQuery = Type.Object(
  { relayerId: RelayerId, nonce: Nonce },
  { additionalProperties: false },
);
