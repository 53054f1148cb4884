/** `assets <folder>`: writes dashboards, rules and provisioning into a folder. */
import { join } from 'node:path';
import { Command } from 'commander';
import { writeAssets } from './assets.js';
import { printText } from './print.js';

export function assetsCommand(): Command {
  return new Command('assets')
    .description(
      "Write Grafana dashboards, Prometheus rules and Grafana's provisioning into a folder. Written again, it brings " +
        'them up to date; files that were changed there are left as they are and named, and then it ends with 1.',
    )
    .argument('<folder>', 'made if it is not there')
    .option('-f, --force', 'overwrite files that were changed, too')
    .addHelpText('after', '\nExample:\n  $ npx opentelemetry-instrumentation-paperclip assets ./monitoring')
    .action((folder: string, { force = false }: { force?: boolean }) => {
      const { written, unchanged, changed, retired } = writeAssets(folder, force);
      const lines = [
        ...written.map((file) => join(folder, file)),
        `${written.length} written, ${unchanged.length} already there`,
        ...retired.map((file) => `no longer part of the assets: ${join(folder, file)}`),
      ];
      printText(process.stdout, lines.join('\n'));
      if (changed.length === 0) return;
      throw new Error(
        [
          'these files were changed since they were written, or are not from here, and are left as they are; --force overwrites them:',
          ...changed.map((file) => `  ${join(folder, file)}`),
        ].join('\n'),
      );
    });
}
