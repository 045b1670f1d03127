/** Keeps readings of a node and its mining apart. */
export type MiningGate = {
  /** Runs a reading. It waits while a block is mined; readings run beside each other. */
  read<T>(reading: () => Promise<T>): Promise<T>;
  /** Mines when no reading is under way. Later readings wait. */
  mine<T>(mining: () => Promise<T>): Promise<T>;
};

/**
 * Makes the gate of one node. While anvil mines, it answers readings at a block's hash from the state of another block.
 * About one simulation in a hundred then runs on a state that no block has. Nodes of real chains have no such fault.
 */
export function createMiningGate(): MiningGate {
  const readings = new Set<Promise<unknown>>();
  let mined: Promise<unknown> = Promise.resolve();

  return {
    async read(reading) {
      for (let seen: Promise<unknown> | undefined; seen !== mined; ) {
        seen = mined;
        await seen;
      }
      const running = reading();
      const settled = running.catch(() => undefined).finally(() => readings.delete(settled));
      readings.add(settled);
      return running;
    },
    mine(mining) {
      const before = mined;
      const running = before.then(async () => {
        await Promise.all(readings);
        return mining();
      });
      mined = running.catch(() => undefined);
      return running;
    },
  };
}
