export { type Guardian, startGuardian } from './guardian.ts';
export { type HeldProcess, spawnHeld } from './heldProcess.ts';
export { type DirectoryLock, type LockResult, lockDirectory } from './lock.ts';
export { withPatience } from './patience.ts';
export { commandLine, endProcess, processIdentity, signalProcess } from './processes.ts';
export { untilStopped } from './untilStopped.ts';
