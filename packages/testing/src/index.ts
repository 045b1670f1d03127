export { type CanonicalBlocks, keepCanonicalBlocks } from './canonicalBlocks.ts';
export { startTestChain, type TestChain } from './chain.ts';
export { startTestDatabase, TEST_CACHE_DIRECTORY } from './database.ts';
export { HOSTILITIES, makeHostile } from './hostileToken.ts';
export { type AskNode, nodeAt } from './node.ts';
export { type KeyService, type KeyServiceMood, startKeyService } from './keyService.ts';
export { createRandom, type Random } from './random.ts';
export { createTraffic, type Traffic } from './traffic.ts';
