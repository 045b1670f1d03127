import assert from 'node:assert/strict';
import { randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, toAddress } from '@fairway/engine';
import { type ChainRpc, createChainRpc, latestHead, type RpcRequest } from '@fairway/evm';
import { amountOf, type Corridor, createPlan, type PlanId, type StepId } from '@fairway/plan';
import type { EmbeddedPostgres } from '@fairway/postgres';
import { openStore, type PlanScope, type RecordStore, type Store } from '@fairway/store';
import { startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import { Pool } from 'pg';
import { concatHex, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { type ChainRecord, startChainRecord } from '../src/platform/record/chain.ts';

/** Where transfers to settlement addresses go in tests. */
export const SETTLEMENT: Address = toAddress(`0x5e77${'00'.repeat(18)}`);
/** The first account of each test chain: corridors name it as a payout address. */
const PAYER: Address = toAddress('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
/** `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TOKEN_ABI = parseAbi(['function transfer(address to, uint256 amount) returns (bool)']);

/** A transfer as text: block, log index, receiver and amount. */
export type Placed = string;

/** What a record is started with; by default the plain chain and store. */
export type RecordSetting = {
  readonly request?: RpcRequest;
  readonly store?: RecordStore;
  readonly holder?: string;
  readonly onAddedLate?: (count: number) => void;
  readonly onUntraced?: (txHash: string) => void;
  readonly onRuledOut?: (blockNumber: number, count: number) => void;
};

/** A chain, a database, and records of the chain in it. */
export type RecordBench = {
  readonly chain: TestChain;
  readonly rpc: ChainRpc;
  readonly store: Store;
  /** Runs a statement on the database. Whole numbers of eight bytes come as text. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  readonly postgres: EmbeddedPostgres;
  readonly token: Address;
  readonly accounts: readonly Address[];
  /** A new plan watches a fresh address from the next block on, or a given one from a given block on. */
  watchFresh(fromBlock?: number, given?: Address): Promise<Address>;
  freshAddress(): Address;
  mine(blocks: number): Promise<void>;
  /** Transfers in one block of their own, from a payout address. The bytes of `tag` follow the call's arguments. */
  pay(to: readonly Address[], amount: bigint, tag?: Hex, from?: Address): Promise<void>;
  /** Replaces the newest blocks by others without transactions. */
  reorganise(depth: number): Promise<void>;
  headNumber(): Promise<number>;
  start(setting?: RecordSetting): ChainRecord;
  /** Waits until the record is at the chain's head, and all transactions to the settlement address are read. */
  recordAtHead(): Promise<void>;
  /** Ends the lease at once, as time would. */
  endLease(): Promise<void>;
  /** The transfers to watched addresses that are on record as canonical. */
  recorded(): Promise<Placed[]>;
  /** The same as the chain has them. */
  onChain(): Promise<Placed[]>;
  close(): Promise<void>;
};

/** Starts a chain and a database. */
export async function openRecordBench(): Promise<RecordBench> {
  const [chain, postgres] = await Promise.all([startTestChain(), startTestDatabase()]);
  const sealingKeys = [{ id: 'k1', key: randomBytes(32) }];
  const opened = await openStore({ connection: postgres.connection, sealingKeys });
  assert.ok(opened.ok);
  const { store } = opened;
  const pool = new Pool({ ...postgres.connection, max: 2 });
  // The database may end before the pool.
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  const query: RecordBench['query'] = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await pool.query(text, [...values])).rows as Row[];
  const made = await store.createCredential({
    organisation: 'Bench',
    environment: 'sandbox',
    permissions: [],
  });
  assert.ok(made.ok);
  const scope: PlanScope = { organisationId: made.organisationId, environment: 'sandbox' };
  const rpc = createChainRpc([chain.rpcUrl], 10_000);
  const token = toAddress(chain.tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? '');
  const accounts = chain.accounts.map(({ address }) => toAddress(address));
  // Its plans have no instructions; without any, no transfer to a settlement address would matter.
  await query(`insert into least_swaps values ('sandbox', $1, $2, $3, 10)`, [
    chain.chainId,
    SETTLEMENT,
    token,
  ]);
  const watchedFrom = new Map<string, number>();
  const records: ChainRecord[] = [];
  const isWatched = (address: string, blockNumber: number) => {
    const from = watchedFrom.get(address);
    return from !== undefined && blockNumber >= from;
  };
  return {
    ...{ chain, rpc, store, query, postgres, token, accounts, freshAddress },
    ...createMining({ chain, token }),
    ...createViews({ chain, query, rpc, token, isWatched }),
    async watchFresh(fromBlock, address = freshAddress()) {
      const from = fromBlock ?? Number((await latestHead(rpc.request)).number) + 1;
      await makePlan(store, scope, { token, address, fromBlock: from });
      watchedFrom.set(address, from);
      return address;
    },
    start(setting = {}) {
      const record = startChainRecord({
        chain: recordedChain(chain, token, setting.request ?? rpc.request),
        store: setting.store ?? store.record,
        key: { environment: 'sandbox', chainId: chain.chainId },
        holder: setting.holder ?? randomUUID(),
        events: {
          onAddedLate: setting.onAddedLate ?? (() => {}),
          onIgnored: () => {},
          onRuledOut: setting.onRuledOut ?? (() => {}),
          onUntraced: setting.onUntraced ?? (() => {}),
        },
        warn: () => {},
      });
      records.push(record);
      return record;
    },
    async close() {
      await Promise.all(records.map((record) => record.close()));
      rpc.close();
      await pool.end();
      await store.close();
      await Promise.all([chain.close(), postgres.close()]);
    },
  };
}

type Mining = Pick<RecordBench, 'mine' | 'pay' | 'reorganise' | 'headNumber'>;

function createMining({ chain, token }: Pick<RecordBench, 'chain' | 'token'>): Mining {
  let coinbases = 0;
  return {
    mine: (blocks) => chain.rpc('anvil_mine', [`0x${blocks.toString(16)}`]),
    headNumber: async () => Number(await chain.rpc<string>('eth_blockNumber')),
    async pay(to, amount, tag = '0x', from = PAYER) {
      await chain.rpc('evm_setAutomine', [false]);
      for (const receiver of to) {
        const call = encodeFunctionData({
          abi: TOKEN_ABI,
          functionName: 'transfer',
          args: [receiver, amount],
        });
        const data = concatHex([call, tag]);
        await chain.rpc('eth_sendTransaction', [{ from, to: token, data, gas: '0x50000' }]);
      }
      await chain.rpc('evm_mine');
      await chain.rpc('evm_setAutomine', [true]);
    },
    async reorganise(depth) {
      // With the same coinbase empty blocks would be replaced by identical ones.
      coinbases += 1;
      await chain.rpc('anvil_setCoinbase', [`0x${coinbases.toString(16).padStart(40, '0')}`]);
      await chain.rpc('anvil_reorg', [depth, []]);
    },
  };
}

type Views = Pick<RecordBench, 'recordAtHead' | 'endLease' | 'recorded' | 'onChain'>;

function createViews({
  chain,
  query,
  rpc,
  token,
  isWatched,
}: Pick<RecordBench, 'chain' | 'query' | 'rpc' | 'token'> & {
  readonly isWatched: (address: string, blockNumber: number) => boolean;
}): Views {
  return {
    async recordAtHead() {
      for (let waitedMs = 0; waitedMs < 40_000; waitedMs += 20) {
        const { hash } = await latestHead(rpc.request);
        const rows = await query<{ read_hash: string; state: string }>(`
          select read_hash, state from chain_records where lease_until > clock_timestamp()`);
        const unread = await query(`select from chain_unread`);
        if (rows[0]?.read_hash === hash && rows[0].state === 'AT_HEAD' && unread.length === 0) return;
        await sleep(20);
      }
      assert.fail(`the record did not reach the head: ${await positionOf(query)}`);
    },
    async endLease() {
      await query(`update chain_records set lease_until = clock_timestamp() - interval '1 ms'`);
    },
    async recorded() {
      const rows = await query<{ place: string; address: string; number: string }>(`
          select block_hash || ' ' || log_index || ' ' || to_address || ' ' || amount as place, to_address as address,
          block_number as number from chain_transfers where canonical`);
      const watched = rows.filter(({ address, number }) => isWatched(address, Number(number)));
      return watched.map(({ place }) => place).sort();
    },
    async onChain() {
      const filter = { fromBlock: '0x0', toBlock: 'latest', address: [token], topics: [TRANSFER_TOPIC] };
      const logs = await chain.rpc<ChainLog[]>('eth_getLogs', [filter]);
      return logs
        .map((log) => ({ ...log, address: `0x${log.topics[2]?.slice(26)}` }))
        .filter(({ address, blockNumber }) => isWatched(address, Number(blockNumber)))
        .map((log) => `${log.blockHash} ${Number(log.logIndex)} ${log.address} ${BigInt(log.data)}`)
        .sort();
    },
  };
}

type ChainLog = {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly topics: readonly string[];
  readonly data: string;
};

async function positionOf(query: RecordBench['query']): Promise<string> {
  const rows = await query<{ row: string }>(`
          select r::text as row from chain_records r`);
  return rows.map(({ row }) => row).join();
}

/** The chain of a test, as a record reads it. */
export function recordedChain(
  { chainId }: { readonly chainId: number },
  token: Address,
  request: RpcRequest,
) {
  const settlementAddresses = [SETTLEMENT];
  const configured = { tokens: [token], settlementAddresses, payoutAddresses: [PAYER] };
  return { chainId, request, newestHead: () => latestHead(request), routers: [], configured };
}

let addressCount = 0;

/** An address that nothing was ever sent to. */
function freshAddress(): Address {
  addressCount += 1;
  return toAddress(`0xde9051${addressCount.toString(16).padStart(34, '0')}`);
}

async function makePlan(
  { payments }: Store,
  scope: PlanScope,
  {
    token,
    address,
    fromBlock,
  }: { readonly token: Address; readonly address: Address; readonly fromBlock: number },
): Promise<void> {
  const id = () => randomUUIDv7().replaceAll('-', '');
  const stepId = () => `step_${id()}` as StepId;
  const recipient = { type: 'email', email: 'a@b.example' } as const;
  const created = createPlan(
    corridorOf(token),
    {
      clientReference: id(),
      amountIn: amountOf(1_000n),
      recipient: { ...recipient, email: 'a***@b.example', fingerprint: 'f' },
      mode: 'DIGITAL_COLLECT',
      options: { slippageBps: 50, collectLifeMs: 86_400_000, depositAddress: address },
      metadata: {},
    },
    {
      planId: `plan_${id()}` as PlanId,
      stepIds: [stepId(), stepId(), stepId()],
      endToEndId: `FW${id()}`,
      nowMs: Date.now(),
      lifeMs: 86_400_000,
      watchFromBlock: fromBlock,
      madeBy: 'cred_1',
      swap: { kind: 'WITHHELD', withheld: { reason: 'NOT_DERIVABLE', detail: '' }, amountOut: amountOf(1n) },
    },
  );
  assert.ok(created.ok);
  const bodyFingerprint = randomBytes(33);
  const kept = await payments.createPlan(scope, {
    plan: created.plan,
    actor: 'test',
    bodyFingerprint,
    recipient,
  });
  assert.ok(kept.ok && kept.outcome === 'CREATED');
}

function corridorOf(token: Address): Corridor {
  const chainId = 31337;
  return {
    id: 'bench',
    source: { chainId, token },
    target: {
      type: 'EMAIL',
      currency: 'USD',
      chainId,
      token,
      custodian: 'Custodian',
      settlementAddress: SETTLEMENT,
    },
    status: 'ACTIVE',
    modes: ['DIGITAL_COLLECT'],
    recipientTypes: ['email'],
    minAmountIn: amountOf(1n),
    maxAmountIn: amountOf(10n ** 30n),
    minConfirmations: 1,
    settlementTime: { min: 'PT1M', max: 'P1D' },
  };
}
