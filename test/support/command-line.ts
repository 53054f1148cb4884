/** The command line, run in this process. */
import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/program.js';

/** @returns what it wrote, and its exit code */
export async function commandLine(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += text;
      return true;
    }),
  );
  try {
    return { status: await runCommandLine(args), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
