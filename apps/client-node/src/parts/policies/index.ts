export { policyInWords } from './inWords.ts';
export { type PolicyParts, registerPolicies } from './register.ts';
