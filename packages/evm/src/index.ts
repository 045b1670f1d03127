export * from './types.ts';
export { KNOWN_CONTRACTS, type UnusableAddress, unusableAddress } from './unusableAddress.ts';
export type { Factory } from './pools/poolKinds.ts';
export { blockAt, readBlockHash } from './evidence/canonicalBlock.ts';
export { hasSent } from './evidence/hasSent.ts';
export { isSignedBy } from './evidence/isSignedBy.ts';
export { readBalance } from './evidence/readBalance.ts';
export { readCalls, type StandingCall } from './evidence/readCalls.ts';
export { type LostTransaction, readReplacement } from './evidence/readReplacement.ts';
export { readTransaction, type TransactionReading } from './evidence/readTransaction.ts';
export type { ReceiptGas } from './evidence/receiptGas.ts';
export type { TokenTransfer } from './evidence/tokenTransfer.ts';
export type { FollowerEvent, FollowerOptions } from './follower/options.ts';
export { startFollower } from './follower/follower.ts';
export {
  BlockGoneError,
  NodeNonsenseError,
  type NodeSaid,
  NodesDisagreeError,
  RpcAnswerError,
  RpcUnreachableError,
} from './rpc/errors.ts';
export { logFilterOf, type Gap } from './record/logFilter.ts';
export { findCommonBlock, type StoredBlock } from './record/findCommonBlock.ts';
export { type BlockTransfers, readBlockTransfers, type RecordFilter } from './record/readBlockTransfers.ts';
export { MOST_RECEIVERS, type RangeReading, readRangeTransfers } from './record/readRangeTransfers.ts';
export { readBlockTags } from './record/readBlockTags.ts';
export { readTags, type TagReading } from './record/readTags.ts';
export {
  type BlockReading,
  type BlockReadingRefusal,
  type MarketAtBlock,
  readMarketAt,
} from './market/readMarketAt.ts';
export {
  createRouteReader,
  type KeptRoute,
  type RouteReader,
  type RouteReaderOptions,
} from './market/routeReader.ts';
export { type AgreementOptions, createAgreedRpc, type NodeRpc, type Trust } from './agreement/agreedRpc.ts';
export type { NodesEvent } from './agreement/agreedRequest.ts';
export { type ChainRpc, createChainRpc } from './rpc/chainRpc.ts';
export { type RpcRequest } from './rpc/endpoint.ts';
export { type BlockCall, type CallResult, simulateCalls } from './rpc/simulateCalls.ts';
export { basicAuthorization, type ParsedUrl, parseUrlLogin, type UrlLogin } from './rpc/urlLogin.ts';
export { headByHash, latestHead } from './rpc/head.ts';
export { encodeSnapshot, type MarketSnapshot } from './snapshot/format.ts';
export type { SnapshotStore, StoredSnapshot } from './snapshot/store.ts';
export { swapLimit } from './order/limits.ts';
export { roundingOf } from './swap/rounding.ts';
export { createSwapPlanner, type SwapPlannerOptions } from './swap/planSwap.ts';
export { createRouteFaultFinder, type RouteFaultOptions } from './swap/routeFaults.ts';
export type { TrackedPool } from './pools/trackedPool.ts';
export { type CallTarget, readCallTargets } from './venues/callTargets.ts';
export type { RouterCheck, Venue, VenueCall, VenueSite, VerifyResult } from './venues/venue.ts';
export {
  factoriesFault,
  leastOutput,
  ROUTER_KINDS,
  type RouterKind,
  venueGas,
  venueOf,
} from './venues/venueKinds.ts';
export { liquidityGrossOf, trackV3Pool } from './pools/uniswapV3/ticks.ts';
