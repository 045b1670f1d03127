import {
  type Answer,
  cursorField,
  done,
  type Door,
  type Fields,
  integerField,
  optional,
  pageAnswer,
  refuse,
  required,
  sealOf,
  textField,
  timestampOf,
  tryLater,
  eip55,
  wordField,
} from '@fairway/api';
import { toAddress } from '@fairway/engine';
import type { NoSpeedUp } from '@fairway/relay';
import { defined } from '@fairway/values';
import { LIMITS, type NodeOperationId, type RelayHealth, type RelayTransaction } from '@fairway/wire';
import { cancelPending } from '../../platform/database/cancelPending.ts';
import type { Database } from '../../platform/database/schema.ts';
import { setPaused } from '../../platform/database/relayers.ts';
import {
  askCancellation,
  findByNonce,
  findTransaction,
  type KeptTransaction,
  listTransactions,
  type TransactionFilter,
} from '../../platform/database/transactions.ts';
import { areNodesAway } from '../../platform/chains/connectChain.ts';
import type { Reconciled } from '../../platform/relaying/reconcile.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';
import { isSignerFault } from '../../platform/signers/signer.ts';
import { NO_RELAYER, NODES_AWAY, readReceipt, type Relayers } from '../executions/index.ts';
import { relayerView, relayerViews } from './relayerView.ts';

/** What the operations of an operator work with. */
export type RelayerParts = { readonly database: Database; readonly relayers: Relayers };

type Registering = Pick<Door<NodeOperationId>, 'registrar'>;

const NO_TRANSACTION = refuse({ code: 'not-found', detail: 'There is no such transaction.' });
const ID_LENGTH = 128;

/** Registers what operators look at and do. */
export function registerRelayers(door: Registering, parts: RelayerParts): void {
  registerHealth(door, parts.relayers);
  registerRelayerOperations(door, parts);
  registerTransactions(door, parts);
}

const NOT_READY = refuse(tryLater('upstream-unavailable', 'Not ready.', 2));

function registerHealth({ registrar }: Registering, relayers: Relayers): void {
  const all = [...relayers.values()];
  registrar.probe('relayReady', () =>
    all.some((each) => each.state() === 'WORKING') ? { ok: true, body: { status: 'OK' } } : NOT_READY,
  );
  registrar.read('relayHealth', {
    answer(): Answer<RelayHealth> {
      const states = all.map((each) => ({
        ...{ relayerId: each.relayerId, chainId: each.chainId, state: each.state() },
        address: eip55(toAddress(each.address)),
      }));
      const isWell = states.every(({ state }) => state === 'WORKING');
      return { ok: true, body: { status: isWell ? 'OK' : 'DEGRADED', relayers: states } };
    },
  });
}

function registerRelayerOperations({ registrar }: Registering, { database, relayers }: RelayerParts): void {
  const view = async (relayerId: string): Promise<Answer<object>> => {
    const relayer = relayers.get(relayerId);
    if (relayer === undefined) return NO_RELAYER;
    return { ok: true, body: await relayerView(database, relayer, Date.now(), relayers) };
  };
  const pausing = (isPaused: boolean) => ({
    async answer(_: unknown, { params: { relayerId = '' } }: { params: Readonly<Record<string, string>> }) {
      const relayer = relayers.get(relayerId);
      if (relayer === undefined) return NO_RELAYER;
      await setPaused(database, relayerId, isPaused);
      relayer.wake();
      return view(relayerId);
    },
  });
  registrar.find('listRelayers', {
    async answer() {
      return { ok: true, body: await relayerViews(database, relayers) };
    },
  });
  registrar.find('getRelayer', { answer: (_, { params: { relayerId = '' } }) => view(relayerId) });
  registrar.submit('pauseRelayer', pausing(true));
  registrar.submit('resumeRelayer', pausing(false));
  registrar.submit('cancelPending', {
    async answer(_, { params: { relayerId = '' } }) {
      const site = relayers.get(relayerId);
      if (site === undefined) return NO_RELAYER;
      const asked = await cancelPending(database, relayerId);
      site.wake();
      return { ok: true, body: { relayer: await relayerView(database, site, Date.now(), relayers), asked } };
    },
  });
  registrar.submit('reconcileRelayer', {
    async answer(_, { params: { relayerId = '' } }) {
      const site = relayers.get(relayerId);
      if (site === undefined) return NO_RELAYER;
      const reconciled = await reconciledOf(site);
      if (reconciled === undefined) return NODES_AWAY;
      const relayer = await relayerView(database, site, Date.now(), relayers);
      return { ok: true, body: { relayer, ...reconciled } };
    },
  });
}

/** Undefined: the nodes of its chain do not answer alike. */
async function reconciledOf(site: Relayer): Promise<Reconciled | undefined> {
  if (site.state() === 'STARTING') return undefined;
  return site.reconcile().catch((error: unknown) => {
    if (!areNodesAway(error)) throw error;
    return undefined;
  });
}

function registerTransactions({ registrar }: Registering, { database, relayers }: RelayerParts): void {
  const answer = async (kept: KeptTransaction | undefined): Promise<Answer<object>> =>
    kept === undefined ? NO_TRANSACTION : { ok: true, body: await transactionBody(relayers, kept) };
  registrar.page('listTransactions', {
    input: readList,
    answer: ({ filter, limit, after }) =>
      pageAnswer<{ readonly created: bigint; readonly body: RelayTransaction }>(
        { limit, after },
        {
          seal: sealOf('transactions', filter),
          async read(ask) {
            const before = ask.after === undefined ? undefined : BigInt(ask.after);
            const found = await listTransactions(database, filter, { limit: ask.limit + 1, before });
            const items = await Promise.all(
              found.slice(0, ask.limit).map(async (kept) => ({
                created: kept.created,
                body: await transactionBody(relayers, kept),
              })),
            );
            const next = found.length > ask.limit ? String(items.at(-1)?.created) : undefined;
            return done({ items, next });
          },
          bodyOf: ({ body }) => body,
          placeOf: ({ created }) => String(created),
        },
      ),
  });
  registrar.find('findTransactionByNonce', {
    input(fields) {
      const relayerId = required(fields, 'relayerId', textField(ID_LENGTH));
      const nonce = required(fields, 'nonce', integerField({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
      return relayerId === undefined || nonce === undefined ? undefined : { relayerId, nonce };
    },
    answer: async ({ relayerId, nonce }) => answer(await findByNonce(database, relayerId, nonce)),
  });
  registrar.find('getTransaction', {
    answer: async (_, { params: { relayTransactionId = '' } }) =>
      answer(await findTransaction(database, relayTransactionId)),
  });
  registrar.submit('speedUpTransaction', {
    answer: (_, { params: { relayTransactionId = '' } }) =>
      spedUp({ database, relayers }, relayTransactionId),
  });
  registrar.submit('cancelTransaction', {
    async answer(_, { params: { relayTransactionId = '' } }) {
      await askCancellation(database, relayTransactionId);
      const kept = await findTransaction(database, relayTransactionId);
      const executed = kept?.outcome?.as;
      if (executed === 'CONFIRMED' || executed === 'REVERTED')
        return refuse({ code: 'not-replaceable', detail: `It was executed, and is final: ${executed}.` });
      if (kept !== undefined) relayers.get(kept.relayerId)?.wake();
      return answer(kept);
    },
  });
}

/** Signs a replacement, and answers with the instruction as it is then. */
async function spedUp(
  { database, relayers }: RelayerParts,
  relayTransactionId: string,
): Promise<Answer<object>> {
  const kept = await findTransaction(database, relayTransactionId);
  if (kept === undefined) return NO_TRANSACTION;
  const relayer = relayers.get(kept.relayerId);
  if (relayer === undefined) return NO_RELAYER;
  try {
    const done = await relayer.speedUp(relayTransactionId);
    if (done !== 'SIGNED')
      return refuse({ code: 'not-replaceable', detail: NOT_REPLACED[done](kept.call.chainId) });
  } catch (error) {
    if (areNodesAway(error)) return NODES_AWAY;
    if (!isSignerFault(error)) throw error;
    return refuse({ code: 'signer-failed', detail: (error as Error).message });
  }
  const after = await findTransaction(database, relayTransactionId);
  return after === undefined ? NO_TRANSACTION : { ok: true, body: await transactionBody(relayers, after) };
}

const NOT_REPLACED: Readonly<Record<NoSpeedUp, (chainId: number) => string>> = {
  ENDED: () => 'It has ended.',
  MINED: () => 'The chain has its nonce: it is mined.',
  NOT_SENT: () => 'Nothing was sent yet that could be replaced, or its newest transaction is about to leave.',
  NOT_NEXT: () => 'It waits for an earlier nonce of its relayer: speed that transaction up.',
  CAP: (chainId) =>
    `No room is left below the cap of the chain: PUT /relay/gas/${chainId} can set a higher one.`,
};

function readList(fields: Fields) {
  const filter: TransactionFilter = defined({
    status: optional(fields, 'status', wordField(['OPEN', 'ENDED'])),
    relayerId: optional(fields, 'relayerId', textField(ID_LENGTH)),
    executionId: optional(fields, 'executionId', textField(ID_LENGTH)),
  });
  const limit = optional(fields, 'limit', integerField(LIMITS.pageSize)) ?? LIMITS.pageSize.default;
  const after = optional(fields, 'cursor', cursorField(sealOf('transactions', filter)));
  return { filter, limit, after };
}

async function transactionBody(relayers: Relayers, kept: KeptTransaction): Promise<RelayTransaction> {
  const { call } = kept;
  return {
    ...(await readReceipt(relayers, kept)),
    executionId: kept.executionId,
    relayerId: kept.relayerId,
    to: eip55(toAddress(call.to)),
    data: call.data,
    value: String(call.valueWei),
    ...(call.notAfterMs !== undefined && { notAfter: timestampOf(call.notAfterMs) }),
    isCancelAsked: kept.isCancelAsked,
    attempts: kept.attempts.map((attempt) => ({
      txHash: attempt.hash,
      purpose: attempt.purpose,
      maxFeePerGas: attempt.maxFeePerGasWei,
      maxPriorityFeePerGas: attempt.maxPriorityFeePerGasWei,
      signedAtBlock: attempt.signedAtBlock,
      wasSent: attempt.wasSent,
    })),
  };
}
