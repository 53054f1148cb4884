/** `doctor [server]`: finds out why there is no telemetry. */
import { Command, Option } from 'commander';
import type { Preload } from './doctor/check.js';
import { type End, EXIT } from './exit.js';

interface Options {
  readonly preload?: Preload;
  readonly json?: boolean;
}

export function doctorCommand(end: End): Command {
  return new Command('doctor')
    .description(
      'Check an installation, from Node.js to the collector, and say what to do where something is wrong. Run it as the server ' +
        'is run: by the same user, in the same folder, with the same Node.js and environment. It changes nothing, and ' +
        'prints no value of a header, and of a URL only scheme, host and port. Ends with 1 where it finds a problem.',
    )
    .argument('[server]', "Paperclip's folder or main file; where it is not given, it is looked for")
    .addOption(
      new Option(
        '-p, --preload <name>',
        'the preload that the server is started with; where it is not given, that of NODE_OPTIONS, or else start where an SDK is installed',
      ).choices(['register', 'start'] satisfies Preload[]),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ npx opentelemetry-instrumentation-paperclip doctor
  $ npx opentelemetry-instrumentation-paperclip doctor /app/server --json`,
    )
    .action(async (server: string | undefined, { preload, json = false }: Options, self: Command) => {
      if (server === '') self.error('error: the path of the server is empty');
      // The other commands do not need the checks.
      const { showFindings } = await import('./doctor/doctor.js');
      if (await showFindings(server, { preload, json })) end(EXIT.problem);
    });
}
