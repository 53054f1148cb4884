// @ts-check
/**
 * Checks the rules, their tests and the Alertmanager configuration with the programs that read them. It installs
 * nothing; what is missing is named, and then the check fails.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const RULES = 'generated/prometheus/paperclip.rules.yml';

/** @type {Readonly<Record<string, string>>} */
const PACKAGES = { promtool: 'prometheus', amtool: 'prometheus-alertmanager' };

const tests = readdirSync(`${FOLDER}/tests`).map((name) => `tests/${name}`);
const checks = [
  ['promtool', 'check', 'rules', RULES],
  ...tests.map((test) => ['promtool', 'test', 'rules', test]),
  ['amtool', 'check-config', 'alertmanager.yml'],
];

/**
 * @param {readonly string[]} command
 * @returns {Promise<string | undefined>} what is wrong
 */
function run([program = '', ...args]) {
  const line = [program, ...args].join(' ');
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: FOLDER, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', () => {
      resolve(`${program} is not installed; it comes with the Debian package ${PACKAGES[program]}`);
    });
    child.on('close', (code) => {
      if (code === 0) console.log(`ok: ${line}`);
      resolve(code === 0 ? undefined : `${line}\n${output.trim()}`);
    });
  });
}

const problems = new Set();
for (const check of checks) {
  const problem = await run(check);
  if (problem !== undefined) problems.add(problem);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.size === 0 ? 0 : 1;
