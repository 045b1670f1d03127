const CHAINS = ['ETHEREUM', 'BASE', 'ARBITRUM'];

/** The environment variables that the example configuration takes the URLs of its nodes from. */
export const EXAMPLE_NODES: Readonly<Record<string, string>> = Object.fromEntries(
  CHAINS.flatMap((chain) =>
    [1, 2, 3].map((number) => [
      `${chain}_NODE_${number}`,
      `https://${chain.toLowerCase()}-${number}.example`,
    ]),
  ),
);
