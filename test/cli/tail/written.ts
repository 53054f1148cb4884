import { EventEmitter } from 'node:events';
import type { Output } from '../../../src/cli/tail/screen.js';

/** A terminal, or a file where it is none, that keeps what is written to it. */
export class Written extends EventEmitter {
  text = '';

  constructor(
    readonly isTTY: boolean,
    public columns = 20,
  ) {
    super();
  }

  get asOutput(): Output {
    return this as never;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }
}
