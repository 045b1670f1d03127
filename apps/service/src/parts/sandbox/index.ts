export type { Demo, SandboxParts } from './sandbox.ts';
export type { SandboxDeps } from './deps.ts';
export { registerSandbox } from './register.ts';
