/** Where lines are printed, above a header that stays the last line of a terminal. */
import { cut } from './lines.js';
import { isScreen, type Paint, paintFor } from './style.js';

/** To the start of the line, and away with it. */
const CLEAR = '\r\u001B[K';

/** As much of a terminal, or of a file or pipe, as is needed. */
export type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write' | 'on' | 'off'>;

export class Screen {
  readonly paint: Paint;
  readonly #output: Output;
  readonly #isLive: boolean;
  readonly #redraw = () => this.#write([]);
  #header = '';
  #printedHeader = '';

  constructor(output: Output, env: NodeJS.ProcessEnv) {
    this.#output = output;
    this.#isLive = isScreen(output, env);
    this.paint = paintFor(output, env);
    if (this.#isLive) output.on('resize', this.#redraw);
  }

  /** Prints lines, and the header below them where that stays. */
  print(lines: readonly string[], header: string): void {
    this.#header = header;
    if (this.#isLive || lines.length > 0) this.#write(lines);
  }

  /** Prints the header as a line where it does not stay and has changed since. */
  printHeader(): void {
    if (this.#isLive || this.#header === this.#printedHeader) return;
    this.#printedHeader = this.#header;
    this.#write([this.#header]);
  }

  /** Lets something else be printed, above the header where that stays. */
  interrupt(print: () => void): void {
    if (this.#isLive) this.#output.write(CLEAR);
    print();
    if (this.#isLive) this.#redraw();
  }

  /** Leaves the header as the last line, and the cursor below it. */
  end(): void {
    this.#output.off('resize', this.#redraw);
    if (this.#isLive) this.#redraw();
    this.#output.write(this.#isLive ? '\n' : `${this.#header}\n`);
  }

  /** Some terminals do not say how wide they are. */
  get #width(): number {
    return this.#output.columns || 80;
  }

  #write(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}\n`).join('');
    if (!this.#isLive) this.#output.write(text);
    else this.#output.write(CLEAR + text + this.paint(cut(this.#header, this.#width - 1), 'bold'));
  }
}
