/**
 * Paperclip's repository, rebuilt from its published packages: the server in `server/`, its sibling packages
 * as TypeScript in `packages/`, linked as a pnpm workspace links them. In the Docker image the server is
 * compiled, in a development checkout it is TypeScript too. Files are hard links; the JavaScript of `dist/`
 * becomes `src/*.ts`, as it is valid TypeScript. In a fork with another scope, files that name a package are copies.
 */
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { cached } from './cache.mjs';

const SCOPE = '@paperclipai';
/** Changes whenever this file makes something else of the same install. */
const FORMAT = 1;

/**
 * @param cell its layout, its version of Paperclip, the version in the server's package.json, and the scope of its packages
 * @param project where pnpm installed the server
 * @param tsx the folder of the package tsx
 * @returns the repository's folder
 */
export async function monorepo({ layout, paperclip, version, scope = SCOPE }, project, tsx) {
  const server = realpathSync(join(project, 'node_modules', SCOPE, 'server'));
  // Where pnpm installed anew, its store has other folders.
  const installed = statSync(project).birthtimeMs;
  const name = `${layout}/${paperclip}-${version}${scope === SCOPE ? '' : `-${scope}`}`;
  return await cached(name, [installed, FORMAT], (app) => {
    for (const [name, folder] of siblingsOf(server)) {
      const target = join(app, 'packages', name);
      linkPackage(folder, target, true, scope);
      linkDependencies(folder, target, app, scope);
    }
    const target = join(app, 'server');
    linkPackage(server, target, layout === 'checkout', scope, version === 'published' ? {} : { version });
    linkDependencies(server, target, app, scope);
    symlinkSync(tsx, join(target, 'node_modules/tsx'));
  });
}

/** The packages of the same repository that a package needs, by name without scope. */
function siblingsOf(folder, found = new Map()) {
  const beside = dirname(folder);
  for (const name of readdirSync(beside)) {
    const sibling = realpathSync(join(beside, name));
    if (sibling === folder || found.has(name)) continue;
    found.set(name, sibling);
    siblingsOf(sibling, found);
  }
  return found;
}

function linkPackage(from, to, isSource, scope, changes = {}) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const { name } = entry;
    if (name === 'package.json' || name === 'node_modules') continue;
    if (name === 'dist' && isSource) linkTree(join(from, name), join(to, 'src'), scope, toTypeScript);
    else if (entry.isDirectory()) linkTree(join(from, name), join(to, name), scope);
    else linkSync(join(from, name), join(to, name));
  }
  const manifest = readFileSync(join(from, 'package.json'), 'utf8').replaceAll(`${SCOPE}/`, `${scope}/`);
  const its = JSON.parse(
    isSource ? manifest.replaceAll(/"\.\/dist\/([^"]*)\.js"/g, '"./src/$1.ts"') : manifest,
  );
  writeFileSync(join(to, 'package.json'), JSON.stringify({ ...its, ...changes }, null, 2));
}

/** @param rename gives a file's new name, or nothing for one to leave out */
function linkTree(from, to, scope, rename = (name) => name) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    if (entry.isDirectory()) {
      linkTree(source, join(to, entry.name), scope, rename);
      continue;
    }
    const name = rename(entry.name);
    if (name !== undefined) linkFile(source, join(to, name), scope);
  }
}

function linkFile(source, target, scope) {
  const isRenamed = scope !== SCOPE && /\.[cm]?js$/.test(source);
  const text = isRenamed ? readFileSync(source, 'utf8') : '';
  if (text.includes(`${SCOPE}/`)) writeFileSync(target, text.replaceAll(`${SCOPE}/`, `${scope}/`));
  else linkSync(source, target);
}

function toTypeScript(name) {
  return /\.(map|d\.ts)$/.test(name) ? undefined : name.replace(/\.js$/, '.ts');
}

/** What pnpm put beside the package becomes its `node_modules`. */
function linkDependencies(from, to, app, scope) {
  const beside = dirname(dirname(from));
  const modules = join(to, 'node_modules');
  for (const entry of readdirSync(beside)) {
    const names = entry.startsWith('@')
      ? readdirSync(join(beside, entry)).map((name) => `${entry}/${name}`)
      : [entry];
    for (const name of names) {
      const dependency = realpathSync(join(beside, name));
      if (dependency === from) continue;
      const isSibling = name.startsWith(`${SCOPE}/`);
      const link = join(modules, isSibling ? name.replace(SCOPE, scope) : name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(isSibling ? join(app, 'packages', name.slice(SCOPE.length + 1)) : dependency, link);
    }
  }
}
