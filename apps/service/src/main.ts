import { setFlagsFromString } from 'node:v8';
import { runCommand } from './cli/command.ts';
import { processTerminal } from './cli/terminal.ts';

// Node can wait at its end, without end, for a thread that compiles JavaScript and itself waits for a garbage collection
// (nodejs/node#54918). Commands end soon after much was loaded, while this compiler is at work most of the time.
setFlagsFromString('--no-concurrent-sparkplug');

const code = await runCommand(process.argv.slice(2), processTerminal());
// A pipe takes a long output in parts, and what it has not taken yet would be lost.
await Promise.all([process.stdout, process.stderr].map(written));
// Ends the process even while an interrupted start still waits for something, such as a connection.
process.exit(code);

/** Resolves when all that was written to a stream is out, or nobody reads it any more. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve()).write('', () => resolve());
  });
}
