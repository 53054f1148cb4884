/** `assets <folder>`: writes dashboards, rules and provisioning into a folder. */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { writeAssets } from './assets.js';
import { NAMINGS, type Naming } from './naming/names.js';
import { printText } from './print.js';

interface Options {
  readonly force?: boolean;
  readonly naming: Naming;
  readonly nativeHistograms?: boolean;
}

export function assetsCommand(): Command {
  return new Command('assets')
    .description(
      "Write Grafana dashboards, Prometheus rules and Grafana's provisioning into a folder. Written again, it brings " +
        'them up to date; files that were changed there, and links, are left as they are and named, and then it ends with 1.',
    )
    .argument('<folder>', 'made if it is not there')
    .addOption(
      new Option(
        '--naming <name>',
        'how Prometheus names what it gets: with underscores, or by one of its strategies that keep dots',
      )
        .choices(NAMINGS)
        .default(NAMINGS[0]),
    )
    .option('--native-histograms', 'ask for native histograms instead of classic ones')
    .option('-f, --force', 'replace files that were changed, and links, too; what a link leads to stays')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ npx opentelemetry-instrumentation-paperclip assets ./monitoring\n' +
        '  $ npx opentelemetry-instrumentation-paperclip assets ./monitoring --naming NoTranslation --native-histograms',
    )
    .action((folder: string, { force = false, naming, nativeHistograms = false }: Options, self: Command) => {
      if (folder === '') self.error('error: the folder has no name');
      const { written, unchanged, changed, links, retired } = writeAssets(folder, force, {
        naming,
        hasNativeHistograms: nativeHistograms,
      });
      const named = (paths: readonly string[]) => paths.map((path) => `  ${join(folder, path)}`);
      const lines = [
        ...written.map((file) => join(folder, file)),
        `${written.length} written, ${unchanged.length} already there`,
        ...retired.map((file) => `no longer part of the assets: ${join(folder, file)}`),
      ];
      printText(process.stdout, lines.join('\n'));
      if (changed.length + links.length === 0) return;
      const problems: string[] = [];
      if (changed.length > 0)
        problems.push(
          'these files were changed since they were written, or are not from here, and are left as they are; --force overwrites them:',
          ...named(changed),
        );
      if (links.length > 0)
        problems.push(
          'nothing is written through these links; --force replaces them, and leaves what they lead to as it is:',
          ...named(links),
        );
      throw new Error(problems.join('\n'));
    });
}
