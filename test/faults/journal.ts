/** What a host does and sees, line by line. */
import type { HostFunction } from '../../src/base/values.js';

/** A host that writes down, in order, what is done and what comes of it. Everything is compared by identity. */
export class Host {
  readonly journal: string[] = [];
  readonly results = new Map<string, unknown>();

  note(line: string): void {
    this.journal.push(line);
  }

  /** A method that checks what it was called with, and ends as the test says. */
  method(name: string, end: (input: never) => unknown) {
    const host = this;
    return {
      [name](this: unknown, ...args: unknown[]): unknown {
        host.note(`${name} is called with ${args.length} arguments, ${host.expected(this, args)}`);
        return end(args[0] as never);
      },
    }[name] as (...args: unknown[]) => unknown;
  }

  #expectedThis: unknown;
  #expectedArgs: readonly unknown[] = [];

  expected(self: unknown, args: readonly unknown[]): string {
    const same =
      args.length === this.#expectedArgs.length && args.every((arg, n) => arg === this.#expectedArgs[n]);
    return `${self === this.#expectedThis ? 'its' : 'another'} this, ${same ? 'the same' : 'other'} ones`;
  }

  /** Calls a method as its caller does, and notes what came back. */
  async call(self: object, name: string, ...args: unknown[]): Promise<unknown> {
    this.#expectedThis = self;
    this.#expectedArgs = args;
    let returned: unknown;
    try {
      returned = (self as Record<string, HostFunction>)[name]?.(...args);
    } catch (error) {
      this.note(`${name} throws ${this.describe(error)}`);
      return undefined;
    }
    if (!(returned instanceof Promise)) {
      this.note(`${name} returns ${this.describe(returned)}`);
      return returned;
    }
    try {
      const value: unknown = await returned;
      this.note(`${name} promises ${this.describe(value)}`);
      return value;
    } catch (error) {
      this.note(`${name} rejects with ${this.describe(error)}`);
      return undefined;
    }
  }

  /** A value that is recognised when it comes back. */
  known<T>(name: string, value: T): T {
    this.results.set(name, value);
    return value;
  }

  describe(value: unknown): string {
    for (const [name, known] of this.results) if (Object.is(known, value)) return `the ${name}`;
    return typeof value === 'object' ? 'something unknown' : String(value);
  }
}
