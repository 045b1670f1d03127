import { runCommand } from './cli/command.ts';

// Ends the process even while an interrupted start still waits for something, such as a connection.
process.exit(await runCommand(process.argv.slice(2)));
