import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual, types } from 'node:util';
import { completeLease, environment } from '../support/host.js';
import type { Thing, ValueSpec } from './spec.js';

/** One for all worlds: Node.js 20 hands each on to every promise, for as long as the process lives. */
const callers = new AsyncLocalStorage<string>();

/**
 * One of two equal hosts, of which one is instrumented. Whatever a host can notice goes into its notes, with the
 * objects by the names that this world gave them, so that the notes of two worlds can be compared.
 */
export class World {
  /** Whose turn it is: each call has a number, and a call inside of it another one behind a point. */
  readonly callers = callers;
  /** What settles the promises that are to settle later. */
  readonly gates: (() => void)[] = [];
  readonly #names = new Map<unknown, string>();
  /** The plain objects that this world has made, by a mark that a copy has, too. */
  readonly #marked = new Map<unknown, object>();
  #things = 0;
  #notes: { readonly caller: string; readonly text: string }[] = [];

  note(text: string): void {
    this.#notes.push({ caller: this.callers.getStore() ?? 'host', text });
  }

  /** What happened in a synchronous stretch, in order. */
  takeSynchronous(): string[] {
    return this.#take().map(({ caller, text }) => `${caller}: ${text}`);
  }

  /** What happened in a turn of the event loop: what each caller noticed, in order. */
  takeTurn(): string[] {
    const notes = this.#take();
    const textsOf = (of: string) =>
      notes.filter(({ caller }) => caller === of).map(({ text }) => `${of}: ${text}`);
    const callers = [...new Set(notes.map(({ caller }) => caller))].sort();
    return callers.flatMap((of) => (of === 'host' ? textsOf(of).sort() : textsOf(of)));
  }

  #take() {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  called<T>(value: T, name: string): T {
    this.#names.set(value, name);
    return value;
  }

  /** Two values have one name only if nobody could tell them apart, or if they are functions that look alike. */
  nameOf(value: unknown): string {
    const name = this.#names.get(value) ?? this.#nameOfCopy(value);
    if (name !== undefined) return name;
    if (typeof value === 'function') return this.#describe(value);
    if (typeof value !== 'object' || value === null) {
      return Object.is(value, -0) ? '-0' : `${typeof value} ${String(value)}`;
    }
    if (types.isPromise(value) && Object.getPrototypeOf(value) === Promise.prototype) return 'native promise';
    return types.isProxy(value) ? 'unknown proxy' : `unknown ${Object.prototype.toString.call(value)}`;
  }

  /** A copy in which nothing but the variables of `propagateContext` differs has the name of what it is a copy of. */
  #nameOfCopy(value: unknown): string | undefined {
    if (typeof value !== 'object' || value === null || types.isProxy(value)) return undefined;
    const original = this.#marked.get(Object.getOwnPropertyDescriptor(value, MARK)?.value);
    if (original === undefined || !isDeepStrictEqual(withoutVariables(value), withoutVariables(original)))
      return undefined;
    copies.seen += 1;
    return this.#names.get(original);
  }

  #describe(fn: object): string {
    const properties = Reflect.ownKeys(fn).map((key) => {
      const { value, ...attributes } = Object.getOwnPropertyDescriptor(fn, key) ?? {};
      return `${String(key)}=${typeof value === 'function' ? 'function' : this.nameOf(value)} ${flags(attributes)}`;
    });
    const kind = Object.prototype.toString.call(fn);
    const state = `${Object.isExtensible(fn)} ${isConstructor(fn) ? 'constructor' : ''}`;
    return `${kind} of ${this.nameOf(Object.getPrototypeOf(fn)?.constructor?.name)} ${state} {${properties.join()}}`;
  }

  make(spec: ValueSpec): unknown {
    if ('primitive' in spec) return spec.primitive;
    this.#things += 1;
    const made = makeThing(spec.thing);
    if (PLAIN.has(spec.thing)) {
      Object.defineProperty(made, MARK, { value: this.#things });
      this.#marked.set(this.#things, made);
    }
    if (spec.thing === 'frozen object') Object.freeze(made);
    return this.called(made, `${spec.thing} ${this.#things}`);
  }

  /** A promise that settles now, or when the gates open. */
  promise(
    value: unknown,
    fails: boolean,
    later: boolean,
    Type: PromiseConstructor = Promise,
  ): Promise<unknown> {
    return new Type((resolve, reject) => {
      const settle = () => (fails ? reject(value) : resolve(value));
      if (later) this.gates.push(settle);
      else settle();
    });
  }
}

const MARK = Symbol('made by a world');
const PLAIN: ReadonlySet<Thing> = new Set([
  'object',
  'frozen object',
  'channel',
  'null-prototype object',
  'lease',
  'input',
  'input of a command',
  'input of an acquire',
]);

/** How many copies were seen: a test in which none is tests nothing. */
export const copies = { seen: 0 };

/** What an input holds, without what `propagateContext` adds. */
function withoutVariables({ env, command, ...rest }: { env?: object; command?: string[] }): unknown {
  const variables = Object.entries(env ?? {}).filter(([name]) => name !== 'TRACEPARENT');
  let own = command;
  // Once for each of the operations that are inside of each other.
  while (own?.[0] === 'env' && own[1]?.startsWith('TRACEPARENT=')) own = own.slice(2);
  return { ...rest, env: variables, command: own };
}

/** The attributes of a property, as letters. */
export function flags({ writable, enumerable, configurable }: PropertyDescriptor): string {
  return [writable && 'w', enumerable && 'e', configurable && 'c'].filter(Boolean).join('');
}

function isConstructor(fn: object): boolean {
  try {
    Reflect.construct(Object, [], fn as () => void);
    return true;
  } catch {
    return false;
  }
}

class Thinking {
  readonly exitCode = 3;
  get lease(): never {
    throw new RangeError('not now');
  }
}

function makeThing(thing: Thing): object {
  switch (thing) {
    case 'object':
      return { exitCode: 0, timedOut: false };
    case 'frozen object':
      return { status: 'released' };
    case 'null-prototype object':
      return Object.assign(Object.create(null), { lease: null });
    case 'array':
      return [1, 2];
    case 'function':
      return () => 'called';
    case 'class instance':
      return new Thinking();
    case 'error':
      return new Error('Sandbox driver does not support duplex channels for this lease.');
    case 'frozen error':
      return Object.freeze(new TypeError('frozen'));
    case 'error that causes itself': {
      const error = new Error('round');
      return Object.assign(error, { cause: error });
    }
    case 'error whose properties throw':
      return Object.defineProperties(new Error('shy'), {
        stack: { get: refuse },
        message: { get: refuse },
        name: { get: refuse },
      });
    case 'lease':
      return { ...completeLease };
    case 'input':
      return { environment, lease: { ...completeLease } };
    case 'input of a command':
      return { environment, lease: { ...completeLease }, command: ['sh', '-c', 'true'], env: { HOME: '/' } };
    case 'input of an acquire':
      return { environment, companyId: 'company-1', issueId: null, heartbeatRunId: 'run-1' };
    case 'channel':
      return { write() {}, onData() {}, onExit() {}, stop() {}, async close() {} };
    case 'hostile proxy':
      return new Proxy(
        {},
        { get: (_target, key) => (key === 'then' ? undefined : refuse()), has: refuse, ownKeys: refuse },
      );
    case 'revoked proxy': {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    }
  }
}

function refuse(): never {
  throw new RangeError('refused');
}
