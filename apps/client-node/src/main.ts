import { untilStopped } from '@fairway/processes';
import { runCommand } from './cli.ts';

const { env: environment, stdin: input, stdout: output, stderr: notes } = process;
process.exit(await runCommand(process.argv.slice(2), { environment, input, output, notes, untilStopped }));
