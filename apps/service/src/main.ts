import { setFlagsFromString } from 'node:v8';
import { runCommand } from './cli/command.ts';

// Node can wait at its end, without end, for a thread that compiles JavaScript and itself waits for a garbage collection
// (nodejs/node#54918). Commands end soon after much was loaded, while this compiler is at work most of the time.
setFlagsFromString('--no-concurrent-sparkplug');

// Ends the process even while an interrupted start still waits for something, such as a connection.
process.exit(await runCommand(process.argv.slice(2)));
