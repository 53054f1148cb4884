/**
 * How long the real Paperclip server takes until it listens: as it is, behind this package's preload, and behind
 * OpenTelemetry's documented loader hook. `node bench/boot/run.mjs [rounds]`; each round boots each of them once.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { prepare } from '../../test/paperclip/install.mjs';
import { Home } from '../../test/paperclip/server/home.mjs';
import { SERVER_NODE, startServer } from '../../test/paperclip/server/server.mjs';

const VARIANTS = {
  'no hook': [],
  './register': ['opentelemetry-instrumentation-paperclip/register'],
  "OpenTelemetry's hook": ['./server/esm-hook.mjs'],
};

const rounds = Number(process.argv[2] ?? 5);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`not a number of rounds: ${process.argv[2]}`);

prepare();
const home = new Home();
/** @type {Record<string, { listenMs: number, cpuMs: number }[]>} */
const boots = Object.fromEntries(Object.keys(VARIANTS).map((name) => [name, []]));
try {
  await boot([]); // Makes the database, which the others find there.
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, preloads] of Object.entries(VARIANTS)) boots[name].push(await boot(preloads));
    console.log(`round ${round} of ${rounds}`);
  }
} finally {
  await home.remove();
}
report();

/** Boots the server and stops it again. */
async function boot(/** @type {readonly string[]} */ preloads) {
  const server = await startServer({ home, preloads });
  try {
    return { listenMs: server.listenMs, cpuMs: cpuMsOf(server.pid) };
  } finally {
    await server.stop();
    await server.kill();
  }
}

/** The processor time that a process has used, which other work on the machine disturbs less. Linux only. */
function cpuMsOf(/** @type {number} */ pid) {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // In hundredths of a second; the fields are counted from behind the name, which may hold anything.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return 10 * (Number(user) + Number(system));
}

function report() {
  const version = execFileSync(SERVER_NODE, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
  console.log(`\n${cpus().length} × ${cpus()[0].model}, Node.js ${version}`);
  const [plain] = Object.values(boots);
  const rows = Object.entries(boots).map(([name, all]) => [
    name,
    {
      'each (ms)': all.map(({ listenMs }) => Math.round(listenMs)).join(', '),
      ...compared('ms', all, plain, ({ listenMs }) => listenMs),
      ...compared('CPU ms', all, plain, ({ cpuMs }) => cpuMs),
    },
  ]);
  console.table(Object.fromEntries(rows));
}

/** The median of what is measured, and its ratio to that of the plain boots. */
function compared(unit, all, plain, measured) {
  const value = median(all.map(measured));
  const ratio = (value / median(plain.map(measured))).toFixed(2);
  return { [`median (${unit})`]: Math.round(value), [`ratio (${unit})`]: ratio };
}

function median(/** @type {number[]} */ values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
