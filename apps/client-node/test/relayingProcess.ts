// A process that relays for one key, until it is killed or asked to end.
import { createAgreedRpc, createChainRpc } from '@fairway/evm';
import { type DatabaseConnection, openDatabase } from '@fairway/postgres';
import type { GasRules, Hex } from '@fairway/relay';
import { createRelayChain } from '../src/platform/chains/relayChain.ts';
import { createRelayStore } from '../src/platform/database/relayStore.ts';
import type { Tables } from '../src/platform/database/schema.ts';
import { openJournal } from '../src/platform/journal/journal.ts';
import { startRelaying } from '../src/platform/relaying/relaying.ts';
import { keySigner } from '../src/platform/signers/keySigner.ts';
import { signOrder } from '../src/platform/signers/signer.ts';

/** What the process is told, as its only argument. */
export type RelayingOrder = {
  readonly connection: DatabaseConnection;
  readonly nodeUrls: readonly string[];
  readonly agreement: number;
  readonly timeoutMs: number;
  readonly journalPath: string;
  readonly relayerId: string;
  readonly privateKey: Hex;
  readonly rules: Omit<GasRules, 'maxFeePerGasCapWei'> & { readonly maxFeePerGasCapWei: string };
  readonly confirmations: number;
};

const order = JSON.parse(String(process.argv[2])) as RelayingOrder;
const say = (text: string) => process.stderr.write(`${text}\n`);

async function run(): Promise<void> {
  const journal = openJournal(order.journalPath);
  const database = openDatabase<Tables>(order.connection, () => {});
  const nodes = order.nodeUrls.map((url, index) => ({
    name: `node ${index + 1}`,
    rpc: createChainRpc([url], order.timeoutMs),
  }));
  const { request } = createAgreedRpc({ nodes, agreement: order.agreement, onEvent: () => {} });
  const store = createRelayStore(database);
  const signer = keySigner(order.privateKey);
  const { relayer } = await store.read(order.relayerId);
  const relaying = startRelaying({
    database,
    relayerId: order.relayerId,
    chainId: relayer.chainId,
    address: relayer.address,
    ports: {
      store,
      chain: createRelayChain({ request, nodes, confirmations: order.confirmations }),
      judge: async () => ({ may: 'EXECUTE', gasLimit: 100_000n }),
      sign: (each) => signOrder(signer, each),
      mayLeave: () => Promise.resolve(true),
    },
    journal,
    rules: async () => ({ ...order.rules, maxFeePerGasCapWei: BigInt(order.rules.maxFeePerGasCapWei) }),
    pauseMs: 50,
    afterRound: async () => {},
    onSendFailed: () => {},
    onFailed: (error) => say(String(error)),
  });
  process.stdout.write('up\n');
  process.once('SIGTERM', () => {
    void relaying.stop().then(async () => {
      journal.close();
      await database.destroy();
      process.exit(0);
    });
  });
}

run().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
