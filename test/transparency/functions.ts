import { types } from 'node:util';
import { give } from './outcomes.js';
import type { FunctionSpec } from './spec.js';
import type { World } from './world.js';

/** Where a function stands, for what it calls and for what it notes. */
export interface Home {
  readonly key: PropertyKey;
  /** The object that holds the function; `super` is looked up from there. */
  readonly holder: object;
  /** What the host knows as the object whose function it is. */
  readonly subject: () => object;
  /** Whether it stands in the class, where secrets can be told. */
  readonly isOfClass: boolean;
}

/** Inside of more calls than this, none is made. */
const MAX_DEPTH = 4;

type Method = (...args: unknown[]) => unknown;

/** Classes whose secret can be told only of their own instances. */
export class Keeper {
  readonly #secret = 'secret';
  static secretOf(object: unknown): string {
    return typeof object === 'object' && object !== null && #secret in object ? object.#secret : 'no secret';
  }
}

/** Makes functions of one kind: each works alike, and only a class can make more than one of itself. */
export function functionMaker(world: World, spec: FunctionSpec, home: Home): () => Method {
  const behaviour = new Behaviour(world, spec, home);
  return () => {
    const made = shape(world, spec, home.key, behaviour);
    Reflect.defineProperty(made, 'length', { value: spec.length });
    if (spec.form === 'with properties') Object.assign(made, { extra: 7, [Symbol.for('extra')]: 'symbol' });
    return spec.form === 'frozen' ? Object.freeze(made) : made;
  };
}

function shape(world: World, { form }: FunctionSpec, key: PropertyKey, behaviour: Behaviour): Method {
  const run = (self: unknown, args: unknown[]) => behaviour.run(self, args);
  const arrow = { [key]: (...args: unknown[]) => run('none', args) }[key as string] as Method;
  switch (form) {
    case 'async method':
      return {
        async [key](this: unknown, ...args: unknown[]) {
          return await behaviour.runAsync(this, args);
        },
      }[key as string] as Method;
    case 'async arrow':
      return { [key]: async (...args: unknown[]) => await behaviour.runAsync('none', args) }[
        key as string
      ] as Method;
    case 'arrow':
      return arrow;
    case 'bound':
      return function (this: unknown, ...args: unknown[]) {
        return run(this, args);
      }.bind('bound') as Method;
    case 'function':
    case 'with properties':
      return {
        [key]: function (this: unknown, ...args: unknown[]) {
          world.note(new.target === undefined ? 'called' : 'constructed');
          return run(new.target === undefined ? this : 'new', args);
        },
      }[key as string] as Method;
    case 'class':
      return {
        [key]: class {
          constructor(...args: unknown[]) {
            world.note(`constructed with ${args.map((arg) => world.nameOf(arg))}`);
          }
        },
      }[key as string] as unknown as Method;
    case 'generator':
      return {
        *[key](this: unknown, ...args: unknown[]) {
          yield run(this, args);
        },
      }[key as string] as Method;
    case 'async generator':
      return {
        async *[key](this: unknown, ...args: unknown[]) {
          yield await behaviour.runAsync(this, args);
        },
      }[key as string] as Method;
    case 'proxy':
      return new Proxy(arrow, {
        apply: (target, self, args) => {
          world.note('went through a trap');
          return Reflect.apply(target, self, args);
        },
      });
    default:
      return {
        [key](this: unknown, ...args: unknown[]) {
          return run(this, args);
        },
      }[key as string] as Method;
  }
}

/** What a function does: notes how it was called, calls others, and gives back what it is told to. */
class Behaviour {
  readonly #value: unknown;
  #kept: Promise<unknown> | undefined;

  constructor(
    private readonly world: World,
    private readonly spec: FunctionSpec,
    private readonly home: Home,
  ) {
    this.#value = world.make(spec.outcome.value);
  }

  run(self: unknown, args: unknown[]): unknown {
    this.#enter(self, args);
    for (const [index, { follow }] of this.spec.inner.entries()) {
      const given = this.#callInner(index, self, args);
      if (given === undefined) continue;
      if (follow === 'await') void this.#observe(index, given.result);
      if (follow === 'return') return given.result;
    }
    return give(this.world, this.spec.outcome, this.#value, (Type) => this.#keep(Type));
  }

  async runAsync(self: unknown, args: unknown[]): Promise<unknown> {
    this.#enter(self, args);
    for (const [index, { follow }] of this.spec.inner.entries()) {
      const given = this.#callInner(index, self, args);
      if (given === undefined) continue;
      if (follow === 'await') await this.#observe(index, given.result);
      if (follow === 'return') return given.result;
    }
    return await give(this.world, this.spec.outcome, this.#value, (Type) => this.#keep(Type));
  }

  #enter(self: unknown, args: unknown[]): void {
    const { world } = this;
    const named = args.map((arg) => world.nameOf(arg));
    const secret = this.home.isOfClass ? Keeper.secretOf(self) : 'no class';
    world.note(`${String(this.home.key)} on ${world.nameOf(self)} with ${named}, ${secret}`);
  }

  #observe(index: number, given: unknown): Promise<void> {
    return this.world.callers.run(this.#child(index), () => observe(this.world, given));
  }

  #child(index: number): string {
    return `${this.world.callers.getStore()}.${index}`;
  }

  #callInner(index: number, self: unknown, args: unknown[]): { result: unknown } | undefined {
    const { world, home } = this;
    const inner = this.spec.inner[index];
    const child = this.#child(index);
    if (inner === undefined || child.split('.').length > MAX_DEPTH) return undefined;
    return world.callers.run(child, () => {
      try {
        const on = { this: self, subject: home.subject(), super: Object.getPrototypeOf(home.holder) }[
          inner.on
        ];
        const fn: unknown = Reflect.get(Object(on), inner.key);
        if (typeof fn !== 'function') return undefined;
        const result = Reflect.apply(fn, inner.on === 'super' ? self : on, args);
        world.note(`inner call gave ${world.nameOf(result)}`);
        return { result };
      } catch (error) {
        world.note(`inner call threw ${nameOfThrown(world, error)}`);
        return undefined;
      }
    });
  }

  #keep(Type?: PromiseConstructor): Promise<unknown> {
    const { fails, later } = this.spec.outcome;
    this.#kept ??= this.world.promise(this.#value, fails, later, Type);
    return this.#kept;
  }
}

/** Waits for whatever it is given, and notes what comes. */
export async function observe(world: World, given: unknown): Promise<void> {
  try {
    if (types.isGeneratorObject(given)) {
      for await (const part of given as unknown as AsyncIterable<unknown>)
        world.note(`part ${world.nameOf(part)}`);
    }
    world.note(`came to ${world.nameOf(await given)}`);
  } catch (error) {
    world.note(`failed with ${nameOfThrown(world, error)}`);
  }
}

/** Errors of the engine are made anew, and say things such as "proxy" or "intermediate value". */
export function nameOfThrown(world: World, error: unknown): string {
  const name = world.nameOf(error);
  return name === 'unknown [object Error]' ? `unknown ${(error as Error).name}` : name;
}
