/** `npm run registry`: writes `registry/model/`, and the tables of the conventions. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelFiles, withTables } from './files.js';

const FOLDER = 'registry/model';
const PAGE = 'docs/semantic-conventions.md';

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
for (const [name, text] of modelFiles()) writeFileSync(join(FOLDER, name), text);
writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8')));
