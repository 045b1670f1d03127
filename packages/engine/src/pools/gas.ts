/**
 * Gas units that any swap costs, whatever its route: the transaction itself, the router's dispatch and the payer's token
 * transfer. With a hop they come to what mainnet shows for single swaps through SwapRouter02, about 110,000 through a V2
 * pair and 130,000 through a V3 pool. For comparing routes; a simulation gives the real figure.
 */
export const TRANSACTION_GAS_UNITS = 50_000;
