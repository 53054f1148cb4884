// @ts-check
/**
 * Takes pictures of the dashboards. Arguments: a folder for them; then, where not all are wanted, words that a picture's
 * name must contain: a scenario, a dashboard, a theme, a width.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SCENARIOS } from './scenarios.mjs';
import { NAMES, Stage } from './stage.mjs';

const [folder = 'pictures', ...words] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const stage = await Stage.open();
try {
  for (const scenario of Object.keys(SCENARIOS))
    for (const dashboard of NAMES)
      for (const theme of /** @type {const} */ (['dark', 'light']))
        for (const width of [1600, 1300]) {
          const name = `${scenario}-${dashboard}-${theme}-${width}`;
          if (!words.every((word) => name.includes(word))) continue;
          const begin = Date.now();
          const page = await stage.show({ scenario, dashboard, theme, width });
          await page.screenshot({ path: /** @type {`${string}.png`} */ (join(folder, `${name}.png`)) });
          const samples = await page.evaluate(() => Number(document.body.dataset.samples));
          await page.close();
          console.log(`${name}: ${Date.now() - begin} ms, ${samples} samples read`);
        }
} finally {
  await stage.close();
}
