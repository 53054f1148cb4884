import { Host } from './host.js';
import type { Scenario, Step } from './spec.js';
import { type Instrument, nothing } from './ways-in.js';
import { World } from './world.js';

/** What one step let the host notice: at once, and by the end of the event loop's turn. */
export interface StepNotes {
  readonly step: string;
  readonly atOnce: readonly string[];
  readonly later: readonly string[];
}

let current: World | undefined;
const onUnhandled = (reason: unknown) =>
  current?.callers.exit(() => current?.note(`unhandled ${current.nameOf(reason)}`));
const onHandled = () => current?.callers.exit(() => current?.note('handled after all'));

/** Takes the place of those who else listen to rejections, until the function that it returns is called. */
export function watchRejections(): () => void {
  const listeners = { unhandledRejection: onUnhandled, rejectionHandled: onHandled };
  const before = Object.keys(listeners).map((event) => [event, process.listeners(event as never)] as const);
  for (const [event, listener] of Object.entries(listeners))
    process.removeAllListeners(event).on(event, listener);
  return () => {
    for (const [event, others] of before) {
      process.removeAllListeners(event);
      for (const other of others) process.on(event, other as () => void);
    }
  };
}

/** Lets a host do what the scenario says. `toggle` turns the instrumentation off or on. */
export async function play(
  scenario: Scenario,
  instrument: Instrument,
  toggle: () => void,
): Promise<StepNotes[]> {
  const world = new World();
  current = world;
  const host = new Host(world, scenario, instrument);
  const notes = [await turn(world, 'made', () => host.noteMade())];
  // What is left open is settled in the end, and what that lets go on settles in the next turn.
  const end: Step[] = [{ do: 'settle' }, { do: 'settle' }, { do: 'settle' }];
  for (const [index, step] of [...scenario.steps, ...end].entries()) {
    const title = `${index} ${step.do}`;
    notes.push(await turn(world, title, () => (step.do === 'toggle' ? toggle() : host.take(step, index))));
  }
  current = undefined;
  return notes;
}

async function turn(world: World, step: string, act: () => void): Promise<StepNotes> {
  act();
  const atOnce = world.takeSynchronous();
  await new Promise((resolve) => setImmediate(resolve));
  return { step, atOnce, later: world.takeTurn() };
}

/** Plays the scenario without instrumentation. */
export const playBare = (scenario: Scenario) => play(scenario, nothing, () => {});
