/** Preloaded into a measured process: answers every message from its parent with the CPU time it has used so far. */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system });
});
// A benchmark that was ended midway leaves no service behind.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The process under measurement ends when its own work does, not when its parent hangs up.
process.channel?.unref();
