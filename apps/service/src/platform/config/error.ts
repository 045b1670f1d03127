/** The configuration cannot be used. Every line of the message names a key and says what to change. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}
