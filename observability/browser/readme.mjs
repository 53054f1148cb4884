// @ts-check
/** Takes the pictures of dashboards that the pages show: `docs/pictures/{name}-{theme}.webp`. */
import { join } from 'node:path';
import { Stage } from './stage.mjs';

const FOLDER = join(import.meta.dirname, '../../docs/pictures');
const VIEW = { scenario: 'incident', width: 1300 };
const NAMES = ['overview', 'recovery'];
/** No picture is higher, in pixels. It ends where a section of the dashboard ends. */
const HIGHEST = 1400;
/** Letters are sharp in it, and a file has less than a third of the bytes of a PNG. */
const QUALITY = 85;

const stage = await Stage.open();
try {
  for (const name of NAMES)
    for (const theme of /** @type {const} */ (['light', 'dark'])) {
      const page = await stage.show({ ...VIEW, dashboard: `paperclip-${name}`, theme });
      const sections = await page.$$eval('main > h2', (all) =>
        all.map((each) => each.getBoundingClientRect().top),
      );
      const end = await page.$eval('main', ({ scrollHeight }) => scrollHeight);
      const height = Math.max(...[...sections, end].filter((bottom) => bottom <= HIGHEST));
      await page.screenshot({
        path: /** @type {`${string}.webp`} */ (join(FOLDER, `${name}-${theme}.webp`)),
        type: 'webp',
        quality: QUALITY,
        clip: { x: 0, y: 0, width: VIEW.width, height },
      });
      await page.close();
    }
} finally {
  await stage.close();
}
