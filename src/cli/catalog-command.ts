/** `catalog check <file>`: checks error records before a server reads them. */
import { Command } from 'commander';
import { escapeRegExp } from '../base/text.js';
import type { CatalogProblem } from '../errors/catalog.js';
import type { ErrorRecord } from '../errors/record.js';
import { type CheckedCatalog, checkCatalog, type Match, matchOf, nameOf } from './catalog/check.js';
import { type End, EXIT } from './exit.js';
import { printLines, printText } from './print.js';

interface Options {
  readonly message?: string;
  readonly json?: boolean;
}

export function catalogCommand(end: End): Command {
  return new Command('catalog')
    .description('Error records of your own, which the option errorCatalog adds to the built-in ones')
    .addCommand(checkCommand(end))
    .addHelpText(
      'after',
      '\nExample:\n  $ npx opentelemetry-instrumentation-paperclip catalog check errors.json',
    );
}

function checkCommand(end: End): Command {
  return new Command('check')
    .description(
      'Check a file of error records (schemaVersion 2) and say which messages each matches. Ends with 1 where a record is ' +
        'bad, its pattern can take for ever, or nothing matches the message that was given.',
    )
    .argument('<file>', 'JSON: a record, an array of records, or a record a line')
    .option('-m, --message <text>', 'say which record this message matches, of the file or else built in')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ npx opentelemetry-instrumentation-paperclip catalog check errors.json
  $ npx opentelemetry-instrumentation-paperclip catalog check errors.json --message "Quota of team A is used up."`,
    )
    .action((file: string, { message, json = false }: Options) => {
      const checked = checkCatalog(file);
      const match = message === undefined ? undefined : matchOf(message, file, checked.records);
      const isUnmatched = message !== undefined && match === undefined;
      if (json) printText(process.stdout, toJson(checked, match, isUnmatched));
      else printFound(checked, match, isUnmatched);
      if (problemsOf(checked).length > 0 || isUnmatched) end(EXIT.problem);
    });
}

function problemsOf({ problems, explosive }: CheckedCatalog): readonly CatalogProblem[] {
  return [...problems, ...explosive].sort((one, other) => one.index - other.index);
}

function printFound(checked: CheckedCatalog, match: Match | undefined, isUnmatched: boolean): void {
  const { records, warnings } = checked;
  printLines(process.stderr, [
    ...problemsOf(checked).map((problem) => `error: ${problem.message}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ]);
  if (isUnmatched) printLines(process.stderr, ['error: no record matches the message']);
  else if (match !== undefined)
    printLines(process.stdout, [`${match.source}: ${nameOf(match)}: ${match.record.backgroundTag}`]);
  else
    printLines(
      process.stdout,
      records.map(
        (entry) => `${nameOf(entry)}: ${entry.record.backgroundTag} for ${matchedBy(entry.record)}`,
      ),
    );
}

function toJson(checked: CheckedCatalog, match: Match | undefined, isUnmatched: boolean): string {
  const { records, warnings } = checked;
  const json = {
    records: records.map(({ index, record }) => ({
      index,
      ...identityOf(record),
      matches: matchedBy(record),
    })),
    problems: problemsOf(checked),
    warnings,
    ...(match !== undefined && {
      match: { source: match.source, index: match.index, ...identityOf(match.record) },
    }),
    ...(isUnmatched && { match: null }),
  };
  return JSON.stringify(json, undefined, 2);
}

function identityOf({ slug, backgroundTag }: ErrorRecord) {
  return { slug, backgroundTag };
}

/** Which messages a record matches, in words. */
function matchedBy({ errorMessage, messagePattern }: ErrorRecord): string {
  if (messagePattern == null) return `the message ${JSON.stringify(errorMessage)}`;
  const isText = errorMessage != null && messagePattern === escapeRegExp(errorMessage);
  return isText
    ? `messages with ${JSON.stringify(errorMessage)}`
    : `messages like ${new RegExp(messagePattern)}`;
}
