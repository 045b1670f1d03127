export { USUAL_PAYMENT } from './examples.ts';
export { registerReference } from './register.ts';
