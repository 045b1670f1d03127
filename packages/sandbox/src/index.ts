export type { SandboxAccount } from './accounts.ts';
export { SANDBOX_CHAIN_ID } from './anvil.ts';
export {
  type SandboxChain,
  type SandboxChainOptions,
  SandboxStartRefused,
  startSandboxChain,
} from './chain.ts';
export { MAX_ADVANCE_SECONDS } from './clock.ts';
export { planDeployment, type SandboxContracts, type SandboxToken } from './deploy.ts';
export type { Faucet, FaucetRequest, FaucetResult } from './faucet.ts';
export { SavedChainUnreadable } from './savedChain.ts';
export type { SandboxPool } from './seed.ts';
export { NodeUnreachable } from './rpc.ts';
export type { SandboxCall, Sender, SentResult } from './sender.ts';
