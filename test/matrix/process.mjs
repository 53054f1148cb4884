/** Child processes: their output is collected, and they have a time limit. */
import { spawn } from 'node:child_process';

/**
 * @param options what `spawn` takes, and `limit`: the time limit in seconds
 * @returns exit code (`null` where a signal ended it) and output
 */
export function run(command, args, { limit = 600, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const timer = setTimeout(() => child.kill('SIGKILL'), limit * 1000);
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (chunk) => {
        output[stream] += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ...output });
    });
  });
}

/** As {@link run}, for what must succeed: returns what it wrote to its standard output. */
export async function must(command, args, options) {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code !== 0) throw new Error(`\`${command} ${args.join(' ')}\` ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}
