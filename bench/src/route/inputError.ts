/** The command line or a file cannot be used. The message names the place, what was found and what is expected. */
export class InputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InputError';
  }
}
