// Loaded before a program by `node --import`: moves the wall clock of its process by FC_CLOCK_AHEAD_MS milliseconds.
moveClock(Number(process.env['FC_CLOCK_AHEAD_MS']));

function moveClock(aheadMs: number): void {
  const unmoved = Date.now;
  const now = () => unmoved() + aheadMs;
  globalThis.Date = new Proxy(Date, {
    construct: (made, given: unknown[]) =>
      Reflect.construct(made, given.length === 0 ? [now()] : given) as Date,
    get: (made, name) => (name === 'now' ? now : (Reflect.get(made, name) as unknown)),
  });
}
