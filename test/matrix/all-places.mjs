/** The places, and what docs/compatibility.md says of them. */
import { readdirSync } from 'node:fs';

const FOLDER = new URL('places/', import.meta.url);

/** Every `.mjs` file of the folder but its runner. @returns {Promise<import('./places/run.mjs').Place[]>} */
export async function allPlaces() {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.mjs') && file !== 'run.mjs');
  const modules = await Promise.all(files.map((file) => import(new URL(file, FOLDER).href)));
  return modules.flatMap((module) => module.default);
}

/**
 * @param {import('./places/run.mjs').Place[]} places
 * @returns {import('../support/blocks.mjs').Pages}
 */
export function pagesOf(places) {
  const rows = places.map(({ name, promise }) => `| ${name} | ${promise} |\n`);
  return { 'docs/compatibility.md': { places: `| Paperclip | promised |\n| --- | --- |\n${rows.join('')}` } };
}
