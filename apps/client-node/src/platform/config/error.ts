/** The node cannot run with its configuration. Each line names a setting and says what to change. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
