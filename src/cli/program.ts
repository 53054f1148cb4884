/** The command line: its commands, how its errors are told, and its exit codes. */
import { Command, CommanderError } from 'commander';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.js';
import { assetsCommand } from './assets-command.js';

export const EXIT = { done: 0, problem: 1, wrongUsage: 2 } as const;

/**
 * Runs one command.
 *
 * @param args without the program and the script
 * @returns the exit code: 0 done, 1 the command met a problem, 2 it was called wrongly
 */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const program = new Command(PACKAGE_NAME)
    .description('Dashboards, rules and help for the OpenTelemetry instrumentation of Paperclip')
    .version(PACKAGE_VERSION)
    .showHelpAfterError('(--help shows how it is used)')
    .addCommand(assetsCommand());
  for (const command of [program, ...program.commands]) {
    command.exitOverride();
    command.copyInheritedSettings(program);
  }

  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage;
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT.problem;
  }
}
