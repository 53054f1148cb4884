// @ts-check
/** The command line. A bad argument ends in one line that names it and says what it should be. */
import { parseArgs } from 'node:util';

/** The arguments are not what the demo understands. */
export class UsageError extends Error {}

const NUMBERS = {
  seed: { default: 1, min: 0, max: 2 ** 32 - 1, help: 'the same seed makes the same traffic' },
  requests: { default: 60, min: 1, max: 10_000, help: 'how many requests for a lease the traffic makes' },
  port: { default: 9464, min: 0, max: 65_535, help: 'where /metrics is served; 0 for any free port' },
};
const OTLP = 'otlp';
const FLAGS = {
  'keep-running': 'serve /metrics and send a little traffic until Ctrl+C',
  help: 'print this',
};

/**
 * @typedef {keyof typeof NUMBERS} NumberOption
 * @typedef {keyof typeof FLAGS} FlagOption
 * @typedef {Record<NumberOption, number> & { otlp: string | undefined } & Record<FlagOption, boolean>} Options
 */

/**
 * @param {string[]} args
 * @returns {Options}
 * @throws {UsageError}
 */
export function readOptions(args) {
  const names = { numbers: Object.keys(NUMBERS), flags: Object.keys(FLAGS) };
  const { tokens } = parseArgs({
    args,
    options: Object.fromEntries([...names.numbers, OTLP].map((name) => [name, { type: 'string' }])),
    // Not strict: its messages have several lines and do not say what a value should be.
    strict: false,
    tokens: true,
  });
  /** @type {Options} */
  const options = {
    seed: NUMBERS.seed.default,
    requests: NUMBERS.requests.default,
    port: NUMBERS.port.default,
    otlp: undefined,
    'keep-running': false,
    help: false,
  };
  for (const token of tokens) {
    if (token.kind === 'option' && names.numbers.includes(token.name)) {
      const name = /** @type {NumberOption} */ (token.name);
      options[name] = readNumber(name, token.value);
    } else if (token.kind === 'option' && token.name === OTLP) {
      options.otlp = readUrl(token.value);
    } else if (token.kind === 'option' && names.flags.includes(token.name)) {
      if (token.value !== undefined) throw new UsageError(`--${token.name} takes no value`);
      options[/** @type {FlagOption} */ (token.name)] = true;
    } else if (token.kind !== 'option-terminator') {
      const given = JSON.stringify(token.kind === 'option' ? token.rawName : token.value);
      const known = [...names.numbers, OTLP, ...names.flags].map((name) => `--${name}`).join(', ');
      throw new UsageError(`unknown argument ${given}; the options are ${known}`);
    }
  }
  return options;
}

/**
 * @param {NumberOption} name
 * @param {string | undefined} text
 */
function readNumber(name, text) {
  const { min, max } = NUMBERS[name];
  const number = /^\d{1,10}$/.test(text ?? '') ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  const given = text === undefined ? 'nothing' : JSON.stringify(text);
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not ${given}`);
}

/** @param {string | undefined} text */
function readUrl(text = '') {
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  const given = text === '' ? 'nothing' : JSON.stringify(text);
  throw new UsageError(`--${OTLP} must be a URL such as http://localhost:4318, not ${given}`);
}

export function helpText() {
  const rows = [
    ...Object.entries(NUMBERS).map(([name, number]) => [
      `${name} N`,
      `${number.help} (default: ${number.default})`,
    ]),
    [`${OTLP} URL`, 'where traces are sent to by OTLP over HTTP, such as http://localhost:4318'],
    ...Object.entries(FLAGS),
  ];
  const lines = rows.map(([option = '', help]) => `  --${option.padEnd(14)}${help}`);
  return ['Usage: npm run demo -- [options]', '', ...lines].join('\n');
}
