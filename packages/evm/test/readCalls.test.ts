// The calls of a transaction: as the sandbox's node traces them, and as other nodes may trace them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Address, toAddress } from '@fairway/engine';
import { encodeFunctionData, type Hex, multicall3Abi } from 'viem';
import { createAgreedRpc } from '../src/agreement/agreedRpc.ts';
import { readCalls, type TracedTransaction } from '../src/evidence/readCalls.ts';
import { readTransaction } from '../src/evidence/readTransaction.ts';
import type { TokenTransfer } from '../src/evidence/tokenTransfer.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { AnswerTooLongError, RpcAnswerError, RpcUnreachableError } from '../src/rpc/errors.ts';
import { startTokenSandbox, transferData } from './tokenSandbox.ts';

const MULTICALL3 = toAddress('0xcA11bde05977b3631167028862bE2a173976CA11');
const sandbox = await startTokenSandbox();
after(() => sandbox.close());

test('the calls of a batch have their own transfers, and a reverted call is left out', async () => {
  const { chain, request } = sandbox;
  const usdc = sandbox.token('USDC');
  const [payer, payee] = sandbox.accounts as [Address, Address];
  await sandbox.transfer(usdc, MULTICALL3, 100n);
  const amounts = [7n, 1_000n, 9n];
  const inner = amounts.map((amount) => ({
    ...{ target: usdc, allowFailure: true },
    callData: transferData(payee, amount),
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [inner] });
  // The request is answered once the transaction is mined.
  const { transactionHash: txHash } = await chain.rpc<{ transactionHash: Hex }>('eth_sendTransactionSync', [
    { from: payer, to: MULTICALL3, data, gas: '0x7a120' },
  ]);
  const reading = await readTransaction(request, txHash);
  assert.ok(reading.found === 'MINED');
  const calls = await readCalls(request, reading);
  assert.ok(calls !== 'UNTRACEABLE');
  assert.deepEqual(
    calls.map(({ to, input, transfers }) => [to, input, transfers.map(({ amount }) => amount)]),
    [
      [MULTICALL3, data, [7n, 9n]],
      [usdc, transferData(payee, 7n), [7n]],
      [usdc, transferData(payee, 9n), [9n]],
    ],
  );
});

const account = (digit: string) => toAddress(`0x${digit.repeat(40)}`);
const [WALLET, ROUTER, TOKEN, OTHER] = ['a', 'b', 'c', 'd'].map(account) as [
  Address,
  Address,
  Address,
  Address,
];
const hash = `0x${'11'.repeat(32)}` as const;

function transferAt(logIndex: number, token: Address = TOKEN): TokenTransfer {
  const place = { txHash: hash, blockNumber: 1n, blockHash: hash };
  return { ...place, token, from: WALLET, to: ROUTER, amount: BigInt(logIndex), logIndex };
}

/** A transaction whose first log is the 20th of its block. */
const traced: TracedTransaction = {
  txHash: hash,
  transfers: [transferAt(20), transferAt(22), transferAt(23)],
  logCount: 4,
  firstLogIndex: 20,
};

const log = (address: Address, position: number) => ({ address, position: `0x${position.toString(16)}` });
const call = (to: Address, input: string, more: object = {}) => ({ type: 'CALL', to, input, ...more });

/**
 * The wallet writes a log, calls the router, and writes another log; the router makes a transfer and a DELEGATECALL.
 */
const trace = call(WALLET, '0x01', {
  logs: [log(TOKEN, 0), log(TOKEN, 2)],
  calls: [
    call(ROUTER, '0x02', {
      logs: [log(TOKEN, 1)],
      calls: [
        { ...call(OTHER, '0x03'), type: 'DELEGATECALL', logs: [log(OTHER, 0)] },
        call(OTHER, '0x04', {
          error: 'execution reverted',
          logs: [log(TOKEN, 0)],
          calls: [call(OTHER, '0x05')],
        }),
      ],
    }),
    { ...call(OTHER, '0x06'), type: 'STATICCALL' },
  ],
});

const answering =
  (answer: unknown): RpcRequest =>
  () =>
    Promise.resolve(answer);

function twoNodes(...answers: readonly unknown[]): RpcRequest {
  const nodes = answers.map((answer, index) => ({
    name: `node-${index}`,
    rpc: {
      request: answering(answer),
      subscribeHeads: async () => ({ state: 'IMPOSSIBLE' }) as const,
      close() {},
    },
  }));
  return createAgreedRpc({ nodes, agreement: 2, onEvent() {} }).request;
}

test('logs belong to the calls that wrote them, whatever calls came in between', async () => {
  const calls = await readCalls(answering(trace), traced);
  assert.ok(calls !== 'UNTRACEABLE');
  assert.deepEqual(
    calls.map(({ to, input, transfers }) => [to, input, transfers.map(({ logIndex }) => logIndex)]),
    [
      [WALLET, '0x01', [20, 22, 23]],
      [ROUTER, '0x02', [22]],
    ],
  );
});

test('a trace that is missing or does not fit the transaction makes it untraceable', async () => {
  const refusing: RpcRequest = () => Promise.reject(new RpcAnswerError(-32601, 'no such method', undefined));
  assert.equal(await readCalls(refusing, traced), 'UNTRACEABLE');
  assert.equal(await readCalls(answering(null), traced), 'UNTRACEABLE');
  assert.equal(await readCalls(answering(trace), { ...traced, logCount: 3 }), 'UNTRACEABLE');
  const others = { ...traced, transfers: [transferAt(20, OTHER)] };
  assert.equal(await readCalls(answering(trace), others), 'UNTRACEABLE');
  const long: RpcRequest = () => Promise.reject(new AnswerTooLongError());
  assert.equal(await readCalls(long, traced), 'UNTRACEABLE');
  const away: RpcRequest = () => Promise.reject(new RpcUnreachableError('timed out'));
  await assert.rejects(readCalls(away, traced), RpcUnreachableError);
  const withoutPlaces = { ...trace, logs: [{ address: TOKEN }, { address: TOKEN }] };
  for (const other of [{ ...trace, input: 'x' }, withoutPlaces, 'a trace', []])
    for (const request of [answering(other), twoNodes(other, trace)])
      assert.equal(await readCalls(request, traced), 'UNTRACEABLE');
});
