/** Check: the file of error records of the user's own. */
import { resolve } from 'node:path';
import { builtInCatalog } from '../../errors/catalog.js';
import { ERROR_CATALOG_VARIABLE } from '../../options.js';
import { checkCatalog } from '../catalog/check.js';
import { ownCommand } from '../installation/command-lines.js';
import { quote } from '../otel/environment.js';
import { type Check, note, ok, problem } from './check.js';

export const errorRecords: Check = {
  id: 'catalog',
  title: 'Error catalog',
  run: ({ env, folder }) => {
    const given = env[ERROR_CATALOG_VARIABLE]?.trim();
    const builtIn = `${builtInCatalog.records.length} built-in records`;
    if (given === undefined || given === '') return [ok(`${builtIn}, and none of your own`)];
    const file = resolve(folder, given);
    try {
      const { records, problems, explosive, warnings } = checkCatalog(file);
      const command = ownCommand(`catalog check ${quote(file)}`, folder);
      return [
        ...[
          ...problems.map(({ message }) => `${message}; the record is left out`),
          ...explosive.map(({ message }) => message),
        ].map((found) => problem(found, `correct the record in ${file}, and check it: ${command}`)),
        ...warnings.map(note),
        ...(problems.length + explosive.length === 0
          ? [ok(`${file}: ${records.length} record${records.length === 1 ? '' : 's'}, before ${builtIn}`)]
          : []),
      ];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return [
        problem(
          `${message}; only ${builtIn} are used`,
          `set ${ERROR_CATALOG_VARIABLE} to a file of error records, or unset it`,
        ),
      ];
    }
  },
};
