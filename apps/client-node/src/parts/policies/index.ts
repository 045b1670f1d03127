export { type PolicyParts, registerPolicies } from './register.ts';
