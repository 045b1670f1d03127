/** The command line or a file cannot be used. The message says where, what was found and what is wanted. */
export class InputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InputError';
  }
}
