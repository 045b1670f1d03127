export * from './types.ts';
export type { Factory } from './discovery.ts';
export { readBlockHash } from './evidence/canonicalBlock.ts';
export { type DepositReading, readDeposits, touchedAddresses } from './evidence/readDeposits.ts';
export { readCalls, type StandingCall } from './evidence/readCalls.ts';
export { isNonceUsed, readTransaction, type TransactionReading } from './evidence/readTransaction.ts';
export type { TokenTransfer } from './evidence/tokenTransfer.ts';
export { type FollowerEvent, type FollowerOptions, startFollower } from './follower.ts';
export { BlockGoneError, type ReadingProgress } from './catchUp.ts';
export {
  type BlockReading,
  type BlockReadingRefusal,
  type MarketAtBlock,
  readMarketAt,
} from './readMarketAt.ts';
export {
  type ChainRpc,
  createChainRpc,
  RpcAnswerError,
  type RpcRequest,
  RpcUnreachableError,
} from './rpc.ts';
export { encodeSnapshot, type MarketSnapshot } from './snapshot/snapshotFormat.ts';
export type { SnapshotStore, StoredSnapshot } from './snapshot/snapshotStore.ts';
export { type RouterCheck, checkRouter } from './swap/checkRouter.ts';
export type { RouterDeployment } from './swap/deployment.ts';
export { swapLimit } from './swap/limits.ts';
export { createSwapPlanner, type SwapPlannerOptions } from './swap/planSwap.ts';
export { liquidityGrossOf, type TrackedPool, trackV3Pool } from './trackedPool.ts';
