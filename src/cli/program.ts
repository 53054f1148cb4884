/** The command line: its commands, how their errors are printed, and the exit codes. */
import { Command, CommanderError } from 'commander';
import { printable } from '../base/text.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.js';
import { assetsCommand } from './assets-command.js';
import { catalogCommand } from './catalog-command.js';
import { doctorCommand } from './doctor-command.js';
import { type End, EXIT } from './exit.js';
import { printText } from './print.js';
import { runCommand } from './run-command.js';
import { tailCommand } from './tail-command.js';

/**
 * Runs one command.
 *
 * @param args without the program and the script
 * @returns the exit code: 0 done, 1 a problem, 2 wrong usage; `run` has its own
 */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  const end: End = (code) => {
    exitCode = code;
  };
  const program = new Command(PACKAGE_NAME)
    .description(
      'Starts, watches and checks a Paperclip server with OpenTelemetry, and writes dashboards and rules',
    )
    .version(PACKAGE_VERSION)
    // Options after a command are not the program's: `run` passes them on.
    .enablePositionalOptions()
    .configureOutput({ writeErr: (text) => process.stderr.write(printable(text)) })
    .showHelpAfterError('(--help shows how it is used)')
    .addCommand(assetsCommand())
    .addCommand(catalogCommand(end))
    .addCommand(doctorCommand(end))
    .addCommand(runCommand(end))
    .addCommand(tailCommand(end));
  inherit(program);

  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage;
    printText(process.stderr, `error: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.problem;
  }
}

/** Has commands at every level throw instead of ending the process, and print errors in the same way. */
function inherit(command: Command): void {
  command.exitOverride();
  for (const inner of command.commands) {
    inner.copyInheritedSettings(command);
    inherit(inner);
  }
}
