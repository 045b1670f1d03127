export { registerMirror } from './register.ts';
export type { MirroredService } from './forward.ts';
