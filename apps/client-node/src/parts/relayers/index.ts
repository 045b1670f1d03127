export { registerGas } from './gas.ts';
export { type RelayerParts, registerRelayers } from './register.ts';
export { relayerViews } from './relayerView.ts';
