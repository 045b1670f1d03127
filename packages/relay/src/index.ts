export { advance } from './advance.ts';
export { feesOf } from './fees.ts';
export * from './instruction.ts';
export type { GasRules, Look, Sent } from './look.ts';
export { type Act, nextActs } from './nextActs.ts';
export type {
  Binding,
  Ended,
  FoundTransaction,
  Leaving,
  Order,
  RelayChain,
  RelayPorts,
  RelayStore,
  Seen,
  Verdict,
} from './ports.ts';
export { type NoSpeedUp, speedUp } from './speedUp.ts';
export { unknownNonces } from './unknownNonces.ts';
