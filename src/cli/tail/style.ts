/** Colours for a terminal. */
const CODES = { green: 32, red: 31, yellow: '1;33', magenta: '1;35', cyan: 36, bold: 1 } as const;

export type Colour = keyof typeof CODES;

/** Colours a text, unless colours are off. */
export type Paint = (text: string, colour: Colour) => string;

type Stream = Pick<NodeJS.WriteStream, 'isTTY'>;

/** @returns whether the stream is a terminal whose cursor can be moved */
export function isScreen(stream: Stream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** `FORCE_COLOR` (https://force-color.org) wins over `NO_COLOR` (https://no-color.org), as in Node.js. */
export function paintFor(stream: Stream, env: NodeJS.ProcessEnv): Paint {
  const { FORCE_COLOR, NO_COLOR = '' } = env;
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  const isWanted = FORCE_COLOR === undefined && NO_COLOR === '' && isScreen(stream, env);
  if (!isForced && !isWanted) return (text) => text;
  return (text, colour) => `\u001B[${CODES[colour]}m${text}\u001B[0m`;
}
