import { runCommand } from './cli/command.ts';

// What an interrupted start still waits for, such as a connection, must not keep the process.
process.exit(await runCommand(process.argv.slice(2)));
