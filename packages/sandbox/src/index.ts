export type { SandboxAccount } from './accounts.ts';
export { sandboxChainId } from './anvil.ts';
export {
  type SandboxChain,
  type SandboxChainOptions,
  SandboxStartRefused,
  startSandboxChain,
} from './chain.ts';
export { maxAdvanceSeconds } from './clock.ts';
export { planDeployment, type SandboxContracts, type SandboxToken } from './deploy.ts';
export type { Faucet, FaucetRequest, FaucetResult } from './faucet.ts';
export { SavedChainUnreadable } from './savedChain.ts';
export type { SandboxPool } from './seed.ts';
export { NodeUnreachable } from './rpc.ts';
export type { SandboxCall, Sender, SentResult } from './sender.ts';
