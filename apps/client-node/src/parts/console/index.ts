export { registerConsole } from './register.ts';
