/** Plays rows through the rules, on all cores. */
import { availableParallelism } from 'node:os';
import { JOB } from '../src/names.js';
import { judge, type Outcome } from './judge.js';
import { evaluate, scrapeStep } from './promtool.js';
import { seeded } from './random.js';
import type { Row } from './rows.js';
import { World } from './world.js';

export function nameOf({ what, traffic }: Row): string {
  return `${traffic}: ${what}`;
}

/**
 * @param tell is told of progress
 * @returns what came of each row, in their order
 */
export async function simulate(rows: readonly Row[], tell: (text: string) => void): Promise<Outcome[]> {
  const outcomes = new Map<Row, Outcome>();
  // The longest first, so that no core waits for another at the end.
  const batches = batchesOf(rows)
    .toSorted((a, b) => costOf(b) - costOf(a))
    .values();
  const work = async () => {
    for (const batch of batches)
      for (const outcome of await play(batch, tell)) outcomes.set(outcome.row, outcome);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return rows.flatMap((row) => outcomes.get(row) ?? []);
}

/** Rows that one promtool evaluates together, each as a service of its own: that takes less time than one after the other. */
function batchesOf(rows: readonly Row[]): Row[][] {
  const batches = new Map<string, Row[]>();
  for (const [index, row] of rows.entries()) {
    // Those for which all alerts are evaluated take minutes: a part for each core.
    const watched = row.watched ?? index % availableParallelism();
    const key = JSON.stringify([row.step, row.length, watched]);
    batches.set(key, [...(batches.get(key) ?? []), row]);
  }
  return [...batches.values()];
}

/** By experience: all alerts take ten times as long as one, and a service more takes a quarter of the first. */
function costOf(batch: readonly Row[]): number {
  const [row] = batch;
  if (row === undefined) return 0;
  return (row.length / row.step) * (row.watched?.length ?? 10) * (3 + batch.length);
}

async function play(batch: readonly Row[], tell: (text: string) => void): Promise<Outcome[]> {
  const [{ step, length, watched } = {}] = batch;
  if (step === undefined || length === undefined) return [];
  const began = performance.now();
  const series = batch.flatMap((row, index) => {
    const random = seeded(nameOf(row));
    const world = new World(row.servers ?? [{ instance: 'server-1' }], random);
    row.play(world, random);
    return world.series(`row-${index}`, scrapeStep(step), length);
  });
  const firings = await evaluate({ series, step, length, alerts: watched });
  const seconds = Math.round((performance.now() - began) / 1000);
  tell(`${seconds} s for ${batch.length} of them: ${series.length} series, ${length / step} evaluations`);
  return batch.map((row, index) =>
    judge(
      row,
      firings.filter(({ labels }) => labels[JOB] === `row-${index}`),
    ),
  );
}
