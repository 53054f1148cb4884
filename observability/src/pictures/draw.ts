/** `npm run pictures`: measures the demo for five minutes and writes every picture. Needs `prometheus`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictures, SHOWN } from './pictures.js';
import { measure } from './stage.js';

const FOLDER = 'docs/pictures';

mkdirSync(FOLDER, { recursive: true });
for (const [name, svg] of pictures(await measure([...SHOWN.values()]))) {
  writeFileSync(join(FOLDER, name), svg);
}
