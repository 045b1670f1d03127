export { registerRelayers } from './register.ts';
