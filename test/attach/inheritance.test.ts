import { expect, it } from 'vitest';
import { keepFromChildren } from '../../src/attach/inheritance.js';
import { tree } from '../support/tree.js';

const NAME = 'opentelemetry-instrumentation-paperclip';

function optionsAfter(NODE_OPTIONS: string): string | undefined {
  const env: NodeJS.ProcessEnv = { NODE_OPTIONS };
  keepFromChildren({ env, execArgv: [] });
  return env.NODE_OPTIONS;
}

it.each([
  [`--import ${NAME}/register`, ''],
  [`--import=${NAME}/start`, ''],
  [`  --import   "${NAME}/register" `, ''],
  [`--import ${NAME}/register --max-old-space-size=4096`, '--max-old-space-size=4096'],
  [`--title="a \\"b\\" c" --import ${NAME}/register --no-warnings`, '--title="a \\"b\\" c" --no-warnings'],
  [`--import ./tracing.mjs --import ${NAME}/register`, '--import ./tracing.mjs'],
  [`--require ./x.cjs --import="${NAME}/register" --import other`, '--require ./x.cjs --import other'],
])('NODE_OPTIONS %s is handed down as %s', (before, after) => {
  expect(optionsAfter(before)).toBe(after);
});

it.each([
  '',
  '  --no-warnings   --title="a  b" ',
  `--require ${NAME}/register`,
  `--import ${NAME}`,
  `--import ${NAME}/semconv`,
  `--import ${NAME}-other/register`,
  '--import',
  '--import "unclosed',
])('NODE_OPTIONS %j stays as it is', (options) => {
  expect(optionsAfter(options)).toBe(options);
});

it('the files of another copy of this package are not handed down either', () => {
  const root = tree({
    'package.json': { name: NAME },
    'dist/register.js': '',
    'dist/start.js': '',
    'dist/semconv.js': '',
  });
  const options = ['register', 'start', 'semconv'].map((entry) => `--import=${root}/dist/${entry}.js`);
  expect(optionsAfter(options.join(' '))).toBe(options[2]);
});

it('execArgv keeps its identity and loses only the preloads', () => {
  const execArgv = ['--inspect', '--import', `${NAME}/register`, '--import', 'tsx', `--import=${NAME}/start`];
  const same = execArgv;
  keepFromChildren({ env: {}, execArgv });
  expect(execArgv).toEqual(['--inspect', '--import', 'tsx']);
  expect(execArgv).toBe(same);
});
