/** `run -- <command ...>`: starts a Paperclip command with a preload of this installation. */
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { Command } from 'commander';
import { type End, EXIT } from './exit.js';
import { installCommand } from './installation/command-lines.js';
import { HERE, installed, SDK } from './installation/installed.js';
import { runChild, withPreload } from './installation/run.js';
import { printLines } from './print.js';

/** Bun starts scripts and commands with Node.js where they say so, and passes the variable on. */
const ON_BUN =
  'warning: Bun is not supported: it does not read NODE_OPTIONS, so what it runs itself is not attached to';

export function runCommand(end: End): Command {
  return new Command('run')
    .description(
      'Start a Paperclip command with the preload ./register of this installation in NODE_OPTIONS. It reaches the server ' +
        'through launchers such as npx, and the server keeps it from agents and plug-in workers. Ends as the command ends.',
    )
    .argument('<command...>', 'what to start, with its arguments')
    .option('-s, --start', `use the preload ./start, which starts an OpenTelemetry SDK (needs ${SDK})`)
    .passThroughOptions()
    .addHelpText(
      'after',
      `
SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on, and SIGINT and SIGQUIT where no terminal sends them to the command itself.
Exit codes: those of the command; 126 where it cannot be started, 127 where it is not found.

Examples:
  $ npx opentelemetry-instrumentation-paperclip run -- npx paperclipai run
  $ npx opentelemetry-instrumentation-paperclip run --start -- node server/dist/index.js`,
    )
    .action(
      async ([command = '', ...args]: string[], { start = false }: { start?: boolean }, self: Command) => {
        if (command === '') self.error('error: the command has no name');
        if (start) requireSdk();
        if (/^bunx?(?:\.exe)?$/i.test(basename(command))) process.stderr.write(`${ON_BUN}\n`);
        const NODE_OPTIONS = withPreload(process.env.NODE_OPTIONS, start ? 'start' : 'register');
        const ended = await runChild(command, args, { ...process.env, NODE_OPTIONS });
        if (ended.kind === 'exit') return end(ended.code);
        if (ended.kind === 'signal') {
          // The first process of a container is not killed by its own signals. It exits with the code that shells use.
          end(128 + constants.signals[ended.signal]);
          // On this signal Node.js starts its debugger instead of ending.
          if (ended.signal !== 'SIGUSR1') process.kill(process.pid, ended.signal);
          return;
        }
        const { code, message } = ended.error;
        const isMissing = code === 'ENOENT';
        // The first line of a script may name a program that does not exist.
        const what = isMissing && existsSync(command) ? 'its interpreter is not found' : 'command not found';
        printLines(process.stderr, [`error: ${command}: ${isMissing ? what : message}`]);
        end(isMissing ? EXIT.notFound : EXIT.notExecutable);
      },
    );
}

/** @throws Error that says what to install */
function requireSdk(): void {
  if (installed(SDK, HERE) === undefined)
    throw new Error(`--start needs ${SDK}: ${installCommand(HERE, SDK)}`);
}
