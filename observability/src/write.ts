/** `npm run observability`: writes every generated file. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { files } from './files.js';

const ROOT = 'observability';

for (const folder of ['generated', 'tests']) rmSync(join(ROOT, folder), { recursive: true, force: true });
for (const [path, text] of files()) {
  const target = join(ROOT, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
