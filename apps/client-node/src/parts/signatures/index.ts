export { registerSignatures } from './register.ts';
