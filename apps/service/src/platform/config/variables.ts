/** The environment's variables, as process.env has them. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;
