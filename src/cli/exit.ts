/** Exit codes of the command line. `run` also ends with those of the command that it runs. */
export const EXIT = { done: 0, problem: 1, wrongUsage: 2, notExecutable: 126, notFound: 127 } as const;

/** Sets the exit code of a command that has printed its own messages. */
export type End = (exitCode: number) => void;
