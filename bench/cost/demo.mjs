// @ts-check
/** The metrics of the demo, as Prometheus scrapes them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../examples/demo/main.mjs', import.meta.url));

/**
 * Runs the demo until its traffic is over.
 *
 * @param {number} requests for a lease
 * @returns {Promise<string>} what its `/metrics` answers
 */
export async function scrapeDemo(requests) {
  const args = [MAIN, '--port', '0', '--requests', String(requests), '--keep-running'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [url] = /http:\S+\/metrics/.exec(line) ?? [];
      if (url !== undefined) return await (await fetch(url)).text();
    }
    throw new Error('the demo ended before it served its metrics');
  } finally {
    child.kill('SIGINT');
    child.stdout.resume();
    if (child.exitCode === null) await once(child, 'exit');
  }
}
