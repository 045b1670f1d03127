/** Preloaded into a measured process: answers every message from its parent with the CPU time it has used so far. */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system });
});
// The service ends with a benchmark that is interrupted.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel to the parent does not keep the measured process running.
process.channel?.unref();
