/** What keeps a command from being done, for scripts. */
export type CommandFault = 'CREDENTIAL_UNKNOWN' | 'CREDENTIAL_REVOKED' | 'DATABASE_UNAVAILABLE';

/** The command was understood and cannot be done. The message says why and what to do. */
export class CommandError extends Error {
  readonly code: CommandFault;
  constructor(code: CommandFault, message: string) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
  }
}
