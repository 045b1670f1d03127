export { type RelayerParts, registerRelayers } from './register.ts';
export { keptRelayer, relayerView } from './relayerView.ts';
