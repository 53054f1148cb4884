/** README taken apart: its blocks of code, and its commands by who executes them. */
import { readFileSync } from 'node:fs';
import { PACKAGE_NAME } from '../../src/version.js';

export const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const FENCED = /^```(\w*)\n(.*?)^```$/gms;

/** Blocks of code in one language, in order. */
export function blocks(language: 'js' | 'sh'): string[] {
  return [...README.matchAll(FENCED)].flatMap(([, its, code]) => (its === language ? [code ?? ''] : []));
}

/** The one block of shell commands that has this text. */
export function shellBlock(text: string): string {
  const [block, ...others] = blocks('sh').filter((candidate) => candidate.includes(text));
  if (block === undefined || others.length > 0)
    throw new Error(`not in exactly one block of README: ${text}`);
  return block;
}

/** The commands of a block: a continued line is one, `&&` separates two, comments are left out. */
export function commandsOf(block: string): string[] {
  return block
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*/, ''))
    .flatMap((line) => line.split('&&'))
    .map((command) => command.trim())
    .filter((command) => command !== '');
}

/** All commands of README once: those of its blocks, and those within sentences. */
export function commands(): Set<string> {
  const sentences = README.replaceAll(FENCED, '').replaceAll(/\s+/g, ' ');
  const inline = sentences.matchAll(/`((?:bash|curl|docker|node|npm|npx|node_modules\/\S+) [^`]+)`/g);
  return new Set([...blocks('sh').flatMap(commandsOf), ...[...inline].map(([, command]) => command ?? '')]);
}

/** A folder of a user's has the command. */
export const ASSETS = `npx ${PACKAGE_NAME} assets ./monitoring`;
export const CATALOG = `npx ${PACKAGE_NAME} catalog check errors.json --message "Quota of team A is used up."`;

/** On the real server, in this order. */
export const INSTALL = `npm install ${PACKAGE_NAME} @opentelemetry/sdk-node`;
export const TAIL = `npx ${PACKAGE_NAME} tail`;
export const RUN = `npx ${PACKAGE_NAME} run --start -- npx paperclipai run`;
export const RUN_WITHOUT_NPX = `node_modules/.bin/${PACKAGE_NAME} run --start -- paperclipai run`;
export const PAPERCLIP_RUN = 'npx paperclipai run';
export const PAPERCLIP_ONBOARD = 'npx paperclipai onboard --yes --bind loopback';
export const DOCTOR = `npx ${PACKAGE_NAME} doctor`;
export const DOCTOR_BEHIND_RUN = `npx ${PACKAGE_NAME} run --start -- npx ${PACKAGE_NAME} doctor`;
export const PRELOAD = `node --import ./node_modules/${PACKAGE_NAME}/dist/start.js node_modules/@paperclipai/server/dist/index.js`;
/** These four are one block. */
export const PROBE = [
  `api=http://localhost:3100/api json='content-type: application/json'`,
  `company=$(curl -s $api/companies -H "$json" -d '{"name":"Acme"}' | grep -o '"id":"[^"]*' | head -1 | cut -c7-)`,
  `agent=$(curl -s $api/companies/$company/agents -H "$json" -d '{"name":"Probe","adapterType":"process","adapterConfig":{"command":"true"}}' | grep -o '"id":"[^"]*' | head -1 | cut -c7-)`,
  `curl -s $api/agents/$agent/heartbeat/invoke -H "$json" -d '{}'`,
] as const;

/** `test/readme.test.ts` executes these. */
export const FAST: readonly string[] = [ASSETS, CATALOG];
/** `test/paperclip/server/readme.test.ts` executes these. */
export const REAL: readonly string[] = [
  INSTALL,
  TAIL,
  RUN,
  RUN_WITHOUT_NPX,
  PAPERCLIP_RUN,
  PAPERCLIP_ONBOARD,
  DOCTOR,
  DOCTOR_BEHIND_RUN,
  PRELOAD,
  ...PROBE,
];
export const ELSEWHERE: readonly string[] = [
  // By `.ci/run`.
  'npm ci',
  'npm test',
  'npm run test:matrix',
  'npm run demo',
  // By `test/demo.test.ts`.
  'npm run demo -- --keep-running',
  // There is no Docker where the tests run: `test/observability/examples.test.ts` reads what it would start, and
  // `test/observability/live` runs the Collector, Jaeger and Prometheus by themselves.
  'docker compose up -d',
];
