export { FRAME } from './page.ts';
export { registerConsole } from './register.ts';
