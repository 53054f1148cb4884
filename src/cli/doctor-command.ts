/** `doctor [server]`: why there is nothing to see. */
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { PACKAGE_VERSION } from '../version.js';
import type { Check, Finding, Preload, Subject } from './doctor/check.js';
import { problem } from './doctor/check.js';
import { CHECKS } from './doctor/checks.js';
import { locateServer } from './doctor/locate.js';
import { preloadOf } from './doctor/preload.js';
import { type Found, formatter, summary } from './doctor/report.js';
import { masker } from './doctor/secrets.js';
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
        'masks the values of headers and the passwords in URLs. Ends with 1 where it finds a problem.',
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
    .action(async (server: string | undefined, { preload, json = false }: Options) => {
      const folder = process.cwd();
      const { env } = process;
      const target = server === undefined ? undefined : resolve(folder, server);
      const subject: Subject = {
        env,
        folder,
        preload: preload ?? preloadOf(env),
        target,
        server: locateServer(env, folder, target),
      };
      const all = json ? await printJson(subject) : await printText(subject);
      if (all.some(({ finding }) => finding.mark === 'problem')) end(EXIT.problem);
    });
}

async function printText(subject: Subject): Promise<Found[]> {
  const { stdout } = process;
  const format = formatter(
    CHECKS.map(({ title }) => title),
    stdout.isTTY === true && stdout.hasColors(),
  );
  const all: Found[] = [];
  for await (const found of findings(subject)) {
    all.push(found);
    stdout.write(`${format(found).join('\n')}\n`);
  }
  stdout.write(`\n${summary(all)}\n`);
  return all;
}

async function printJson(subject: Subject): Promise<Found[]> {
  const all: Found[] = [];
  for await (const found of findings(subject)) all.push(found);
  const json = {
    version: PACKAGE_VERSION,
    preload: subject.preload,
    findings: all.map(({ check, finding }) => ({ check: check.id, ...finding })),
  };
  process.stdout.write(`${JSON.stringify(json, undefined, 2)}\n`);
  return all;
}

/** All checks at once, because some wait for others' answers; their findings in order. */
async function* findings(subject: Subject): AsyncGenerator<Found> {
  const mask = masker(subject.env);
  const running = CHECKS.map((check) => ({ check, done: run(check, subject) }));
  for (const { check, done } of running) {
    for (const finding of await done) {
      const { found } = finding;
      const masked =
        finding.mark === 'problem'
          ? problem(mask(found), mask(finding.remedy))
          : { ...finding, found: mask(found) };
      yield { check, finding: masked };
    }
  }
}

/** A check that fails is a finding, too: the others are to be seen. */
async function run(check: Check, subject: Subject): Promise<readonly Finding[]> {
  try {
    return await check.run(subject);
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [problem(`the check itself failed: ${message}`, 'Report this, with the text above')];
  }
}
