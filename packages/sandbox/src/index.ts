export type { SandboxAccount } from './accounts.ts';
export {
  type SandboxChain,
  type SandboxChainOptions,
  SandboxStartRefused,
  startSandboxChain,
} from './chain.ts';
export { maxAdvanceSeconds } from './clock.ts';
export type { SandboxContracts, SandboxToken } from './deploy.ts';
export type { Faucet, FaucetRequest, FaucetResult } from './faucet.ts';
export { SavedChainUnreadable } from './savedChain.ts';
export type { SandboxPool } from './seed.ts';
export { NodeUnreachable } from './rpc.ts';
