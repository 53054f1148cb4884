/** Prints lines. On a terminal, a header stays below them as the last line. */
import { cut, type Header } from './lines.js';
import { isScreen, type Paint, paintFor } from './style.js';

const START_OF_LINE = '\r';
const LINE_UP = '\u001B[A';
const CLEAR_BELOW = '\u001B[J';

/** The parts of a stream that are used here. */
export type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write' | 'on' | 'off'>;

export class Screen {
  readonly paint: Paint;
  readonly #output: Output;
  readonly #isLive: boolean;
  readonly #redraw = () => this.#write([]);
  #header: Header = [''];
  #printedHeader = '';
  /** The length of the header on the terminal. */
  #drawn = 0;

  constructor(output: Output, env: NodeJS.ProcessEnv) {
    this.#output = output;
    this.#isLive = isScreen(output, env);
    this.paint = paintFor(output, env);
    if (this.#isLive) output.on('resize', this.#redraw);
  }

  /** Prints lines, and on a terminal the header below them. */
  print(lines: readonly string[], header: Header): void {
    this.#header = header;
    if (this.#isLive || lines.length > 0) this.#write(lines);
  }

  /** Prints the header as a line if it changed. On a terminal it is always there, so nothing is printed. */
  printHeader(): void {
    const [full] = this.#header;
    if (this.#isLive || full === this.#printedHeader) return;
    this.#printedHeader = full;
    this.#write([full]);
  }

  /** Lets other code print, above the header. */
  interrupt(print: () => void): void {
    if (this.#isLive) this.#output.write(this.#clear());
    print();
    if (this.#isLive) this.#redraw();
  }

  /** Leaves the header as the last line, and the cursor below it. */
  end(): void {
    this.#output.off('resize', this.#redraw);
    if (!this.#isLive) {
      this.printHeader();
      return;
    }
    this.#redraw();
    this.#output.write('\n');
  }

  /** 80 if the terminal does not know its width. */
  get #width(): number {
    return this.#output.columns || 80;
  }

  #write(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}\n`).join('');
    if (!this.#isLive) {
      this.#output.write(text);
      return;
    }
    const room = this.#width - 1;
    const fitting = this.#header.find((form) => form.length <= room) ?? this.#header.at(-1) ?? '';
    const header = cut(fitting, room);
    this.#output.write(this.#clear() + text + this.paint(header, 'bold'));
    this.#drawn = header.length;
  }

  /** @returns what removes the header. If the terminal was made narrower, the header now takes several lines. */
  #clear(): string {
    const lines = Math.ceil(this.#drawn / this.#width);
    this.#drawn = 0;
    return START_OF_LINE + LINE_UP.repeat(Math.max(lines - 1, 0)) + CLEAR_BELOW;
  }
}
