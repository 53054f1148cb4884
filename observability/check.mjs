// @ts-check
/**
 * Checks the rules, their tests and the configurations, those of the examples included, with the programs that read
 * them. It installs nothing; what is missing is named, and then the check fails. Only what takes kubectl is left out
 * where there is none.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const EXAMPLES = resolve(FOLDER, '../examples');
const RULES = 'generated/prometheus/paperclip.rules.yml';

/** @type {Readonly<Record<string, string>>} */
const PACKAGES = { promtool: 'prometheus', amtool: 'prometheus-alertmanager' };
/** Debian has none that knows components. */
const OPTIONAL = 'kubectl';

const scratch = mkdtempSync(join(tmpdir(), 'observability-'));
const problems = new Set();
try {
  await check('promtool', 'check', 'rules', RULES);
  const tests = readdirSync(`${FOLDER}/tests`).values();
  const testOnOneCore = async () => {
    for (const test of tests) await check('promtool', 'test', 'rules', withItsRules(test));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, testOnOneCore));
  await check('amtool', 'check-config', 'alertmanager.yml');
  await check('promtool', 'check', 'config', stackPrometheus());
  await check('promtool', 'check', 'config', '../examples/fleet/prometheus.yml');
  await check('promtool', 'check', 'config', 'generated/lease-inventory/prometheus.yml');
  await check('promtool', 'check', 'rules', ruleOfKubernetes());
  await check('kubectl', 'kustomize', 'generated');
  await check('kubectl', 'kustomize', '../examples/kubernetes');
} finally {
  rmSync(scratch, { recursive: true });
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.size === 0 ? 0 : 1;

/** @param {[program: string, ...args: string[]]} command */
async function check(...command) {
  const [program, ...args] = command;
  const line = command.join(' ').replaceAll(`${scratch}/`, '');
  const { code, output } = await run(program, args);
  if (code === undefined && program === OPTIONAL)
    console.log(`skipped, ${program} is not installed: ${line}`);
  else if (code === undefined)
    problems.add(`${program} is not installed; it comes with the Debian package ${PACKAGES[program]}`);
  else if (code === 0) console.log(`ok: ${line}`);
  else problems.add(`${line}\n${output.trim()}`);
}

/**
 * A test beside the rules that its alerts need: promtool evaluates all that there are, at each step.
 *
 * @param {string} name of the test's file
 * @returns {string} path of the test
 */
function withItsRules(name) {
  const test = parse(readFileSync(join(FOLDER, 'tests', name), 'utf8'));
  /** @type {{ name: string, rules: { record?: string, alert?: string, expr: string, annotations?: object }[] }[]} */
  const groups = parse(readFileSync(join(FOLDER, RULES), 'utf8')).groups;
  const rules = new Map(
    groups.flatMap((group) => group.rules.map((rule) => [rule.record ?? rule.alert, rule])),
  );
  const needed = new Set();
  /** @param {string} text */
  const need = (text) => {
    for (const [name, rule] of rules) {
      if (needed.has(rule) || !new RegExp(`(?<![\\w:])${name}(?![\\w:])`).test(text)) continue;
      needed.add(rule);
      need(JSON.stringify([rule.expr, rule.annotations]));
    }
  };
  for (const { alert_rule_test: checks } of test.tests) for (const { alertname } of checks) need(alertname);
  const own = groups
    .map((group) => ({ ...group, rules: group.rules.filter((rule) => needed.has(rule)) }))
    .filter((group) => group.rules.length > 0);
  const file = join(scratch, name);
  writeFileSync(`${file}.rules`, stringify({ groups: own }));
  writeFileSync(
    file,
    stringify({ ...test, rule_files: [`${name}.rules`], group_eval_order: own.map((group) => group.name) }),
  );
  return file;
}

/**
 * Lays what the stack mounts into Prometheus' container out as it is there, so that the paths in the configuration
 * lead somewhere.
 *
 * @returns {string} path of the configuration
 */
function stackPrometheus() {
  const { services } = parse(readFileSync(join(EXAMPLES, 'stack/compose.yaml'), 'utf8'));
  for (const volume of services.prometheus.volumes) {
    const [source, target] = withDefaults(volume).split(':');
    if (target?.startsWith('/etc/prometheus/'))
      cpSync(resolve(EXAMPLES, 'stack', source ?? ''), join(scratch, relative('/etc/prometheus', target)), {
        recursive: true,
      });
  }
  return join(scratch, 'prometheus.yml');
}

/** @param {string} text with variables that have a default: `${NAME:-default}` */
function withDefaults(text) {
  return text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
}

/** @returns {string} path of a file with the groups that the Prometheus operator takes from a PrometheusRule */
function ruleOfKubernetes() {
  const { spec } = parse(readFileSync(join(FOLDER, 'generated/kubernetes/prometheus-rule.yml'), 'utf8'));
  const file = join(scratch, 'prometheus-rule.yml');
  writeFileSync(file, stringify({ groups: spec.groups }));
  return file;
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<{ code?: number | null, output: string }>} no code where there is no such program
 */
function run(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: FOLDER, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', () => resolve({ output }));
    child.on('close', (code) => resolve({ code, output }));
  });
}
