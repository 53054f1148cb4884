/** The demo as a server that Prometheus scrapes, with traffic on request. */
import { fileURLToPath } from 'node:url';
import type { DuplexOutcome, ReacquireOutcome } from '../../../src/semconv.js';
import { answering, freePort, type Servers } from './processes.js';

const HOST = fileURLToPath(new URL('demo-host.mjs', import.meta.url));

/** What the traffic did, as it counted that itself. */
export interface Truth {
  /** Requests for a channel, by provider and by how they ended. */
  readonly requests: Counts<RequestEnd>;
  /** Re-acquires, by provider and outcome. */
  readonly reacquires: Counts<ReacquireOutcome>;
}
export type Counts<End extends string> = ReadonlyMap<string, Readonly<Partial<Record<End, number>>>>;
/** A fallback by design is told apart from the others. */
export type RequestEnd = DuplexOutcome | 'by_design';

export interface Demo {
  /** Where the metrics are: host and port. */
  readonly target: string;
  /** Sends traffic and waits for its end. */
  send(traffic: { mix: 'idle' | 'usual' | 'spike'; requests: number; seed: number }): Promise<Truth>;
}

export async function startDemo(servers: Servers): Promise<Demo> {
  const [metrics, control] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${control}`;
  await answering(servers.start(process.execPath, [HOST, String(metrics), String(control)]), url);
  return {
    target: `127.0.0.1:${metrics}`,
    async send({ mix, requests, seed }) {
      const answer = await fetch(`${url}/${mix}?requests=${requests}&seed=${seed}`, { method: 'POST' });
      const rows = (await answer.json()) as [string, number][];
      return { requests: countsOf('duplex request', rows), reacquires: countsOf('re-acquire', rows) };
    },
  };
}

/** The ledger's rows of one kind: `{kind} {provider} {end}`. */
function countsOf<End extends string>(kind: string, rows: readonly [string, number][]): Counts<End> {
  const counts = new Map<string, Partial<Record<End, number>>>();
  for (const [row, count] of rows) {
    if (!row.startsWith(`${kind} `)) continue;
    const [provider, end] = row.slice(kind.length + 1).split(' ') as [string, End];
    const ends: Partial<Record<End, number>> = counts.get(provider) ?? {};
    ends[end] = count;
    counts.set(provider, ends);
  }
  return counts;
}
