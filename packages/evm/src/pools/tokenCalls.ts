/** token0() and token1(), which pools of Uniswap and its forks answer. */
export const TOKEN_CALLS = ['0x0dfe1681', '0xd21220a7'] as const;
