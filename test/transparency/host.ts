import { nameOfThrown, observe } from './functions.js';
import type { Scenario, Step } from './spec.js';
import { descriptorOf, makeSubject } from './subjects.js';
import type { HostModule, Instrument } from './ways-in.js';
import { flags, type World } from './world.js';

const RESTRICT: Record<'preventExtensions' | 'seal' | 'freeze', (object: object) => object> = Object;

/** Where the host holds an object that inherits from the one that is instrumented. */
const HEIR = 2;

/** Holds the objects of a scenario, instrumented or not, and does what the steps say. */
export class Host {
  /** What the host holds. */
  readonly #subjects: object[];
  /** For each, an object that inherits the same and that nobody instrumented. */
  readonly #siblings: object[];
  #late: { caller: string; given: unknown }[] = [];

  constructor(
    private readonly world: World,
    { wayIn, driver, service }: Scenario,
    instrument: Instrument,
  ) {
    const made = makeSubject(
      world,
      driver,
      'driver',
      () => this.#subjects[wayIn === 'instrumentDriver' ? 0 : 1] ?? {},
    );
    if (wayIn === 'instrumentDriver') {
      const held = world.called(instrument.driver(made.object), 'driver');
      this.#subjects = [held, made.sibling, world.called(Object.create(held), 'heir')];
      this.#siblings = [made.sibling, made.sibling, made.sibling];
      return;
    }
    const siblings: object[] = [];
    const module: HostModule = instrument.module({
      environmentRuntimeService(_db, { drivers }) {
        const getDriver = (key: string) =>
          drivers.find((one) => (one as { driver?: string }).driver === key) ?? null;
        const { object, sibling } = makeSubject(world, service, 'service', () => made.object);
        siblings.push(sibling);
        Reflect.defineProperty(object, 'getDriver', {
          value: getDriver,
          configurable: true,
          enumerable: true,
        });
        return object;
      },
    });
    const held = instrument.service(module.environmentRuntimeService({}, { drivers: [made.object] }));
    this.#subjects = [world.called(held, 'service'), made.object, world.called(Object.create(held), 'heir')];
    this.#siblings = [...siblings, made.sibling, ...siblings];
  }

  noteMade(): void {
    for (const index of this.#subjects.keys()) this.#look(index);
  }

  take(step: Exclude<Step, { do: 'toggle' }>, index: number): void {
    if (step.do === 'settle') {
      this.#settle();
      return;
    }
    const subject = this.#subjects[step.subject] ?? {};
    if (step.do === 'look') this.#look(step.subject);
    else if (step.do === 'call') {
      const sibling = this.#siblings[step.subject] ?? {};
      this.world.callers.run(`${index}`, () => this.#call(step, subject, sibling));
    } else this.#try(step.do, () => this.#do(step, subject));
  }

  #do(step: Exclude<Step, { do: 'toggle' | 'settle' | 'look' | 'call' }>, subject: object): unknown {
    const home = { holder: subject, subject: () => subject, isOfClass: false };
    switch (step.do) {
      case 'read': {
        const [first, second] = [Reflect.get(subject, step.key), Reflect.get(subject, step.key)];
        return `${this.world.nameOf(first)}, ${first === second ? 'the same again' : 'another one again'}`;
      }
      case 'assign': {
        const { value } = descriptorOf(this.world, { ...step.value, hold: 'value' }, home);
        const did = Reflect.set(subject, step.key, value);
        return `${did}, ${Reflect.get(subject, step.key) === value}`;
      }
      case 'define': {
        const descriptor = descriptorOf(this.world, step.value, home);
        return Reflect.defineProperty(subject, step.value.key, descriptor);
      }
      case 'delete':
        return Reflect.deleteProperty(subject, step.key);
      case 'restrict':
        return step.how === 'setPrototypeOf'
          ? Reflect.setPrototypeOf(subject, {})
          : RESTRICT[step.how](subject) === subject;
    }
  }

  #call(step: Extract<Step, { do: 'call' }>, subject: object, sibling: object): void {
    const { world } = this;
    const args = step.args.map((arg) => world.make(arg));
    try {
      const on = step.how === 'inherited' ? sibling : subject;
      const fn: unknown = Reflect.get(on, step.key);
      if (typeof fn !== 'function') {
        world.note(`no method, but ${world.nameOf(fn)}`);
        return;
      }
      const given = this.#apply(step.how, fn as (...args: unknown[]) => unknown, on, step.key, args);
      world.note(`returned ${world.nameOf(given)}`);
      const caller = world.callers.getStore() ?? '';
      if (step.follow === 'await' || step.follow === 'await twice') void observe(world, given);
      if (step.follow === 'await twice')
        world.callers.run(`${caller} again`, () => void observe(world, given));
      if (step.follow === 'await later') this.#late.push({ caller, given });
    } catch (error) {
      world.note(`threw ${nameOfThrown(world, error)}`);
    }
    world.note('went on');
  }

  #apply(
    how: Extract<Step, { do: 'call' }>['how'],
    fn: (...args: unknown[]) => unknown,
    subject: object,
    key: PropertyKey,
    args: unknown[],
  ): unknown {
    switch (how) {
      case 'method':
        return (subject as Record<PropertyKey, (...args: unknown[]) => unknown>)[key]?.(...args);
      case 'detached':
        return fn(...args);
      case 'other this':
        return fn.call('another', ...args);
      case 'bind':
        return fn.bind(subject, ...args)();
      case 'new': {
        const made: object = Reflect.construct(fn, args);
        if (Object.hasOwn(fn, 'prototype')) this.world.note(`an instance: ${made instanceof fn}`);
        return made;
      }
      default:
        return Reflect.apply(fn, subject, args);
    }
  }

  #settle(): void {
    const late = this.#late;
    this.#late = [];
    for (const { caller, given } of late)
      this.world.callers.run(caller, () => void observe(this.world, given));
    for (const open of this.world.gates.splice(0)) open();
  }

  #try(what: string, act: () => unknown): void {
    try {
      this.world.note(`${what}: ${act()}`);
    } catch (error) {
      this.world.note(`${what}: threw ${nameOfThrown(this.world, error)}`);
    }
  }

  /** An inherited method that is instrumented is covered by a property that is not enumerable and looks like the method. */
  #isCover(object: object, key: PropertyKey, { enumerable, value }: PropertyDescriptor): boolean {
    const covered: unknown = Reflect.get(Object.getPrototypeOf(object) ?? {}, key);
    return (
      !enumerable && typeof covered === 'function' && this.world.nameOf(covered) === this.world.nameOf(value)
    );
  }

  /** Everything that can be seen of an object and of what it inherits from, without calling anything. */
  #look(index: number): void {
    const { world } = this;
    let object: object | null = this.#subjects[index] ?? {};
    while (object !== null && object !== Object.prototype) {
      const seen: object = object;
      const state = [Object.isExtensible(seen), Object.isSealed(seen), Object.isFrozen(seen)];
      world.note(`${world.nameOf(seen)} ${Object.prototype.toString.call(seen)} ${state}`);
      for (const key of Reflect.ownKeys(seen)) {
        const property = Object.getOwnPropertyDescriptor(seen, key) ?? {};
        if (this.#isCover(seen, key, property)) continue;
        const parts = [property.value, property.get, property.set].map((part) => world.nameOf(part));
        world.note(`${String(key)} ${flags(property)} ${parts} ${key in seen} ${Object.hasOwn(seen, key)}`);
      }
      object = Object.getPrototypeOf(seen);
    }
    const enumerated: string[] = [];
    // V8 does not look behind a proxy that an object inherits from.
    if (index < HEIR) for (const key in this.#subjects[index]) enumerated.push(key);
    world.note(`enumerates ${enumerated}`);
    const { getDriver } = this.#subjects[index] as { getDriver?: (key: string) => unknown };
    if (getDriver !== undefined) world.note(`has ${world.nameOf(getDriver('sandbox'))}`);
  }
}
