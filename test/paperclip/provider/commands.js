/** Runs commands as processes of this machine. */
import { spawn } from 'node:child_process';

/**
 * Runs a command to its end, or kills it with all that it started once its time is over.
 *
 * @param {import('@paperclipai/plugin-sdk').PluginEnvironmentExecuteParams} call
 * @param {string} workspace the folder in which it runs unless the call names another
 * @returns {Promise<import('@paperclipai/plugin-sdk').PluginEnvironmentExecuteResult>}
 */
export function runCommand({ command, args = [], cwd, env, stdin, timeoutMs }, workspace) {
  return new Promise((resolve, reject) => {
    const child = start(command, args, cwd ?? workspace, env);
    const out = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        out[name] += text;
      });
    }
    let timedOut = false;
    const timer =
      timeoutMs &&
      setTimeout(() => {
        timedOut = true;
        killGroup(child);
      }, timeoutMs);
    child.on('error', reject);
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      resolve({ exitCode, signal, timedOut, ...out });
    });
    child.stdin.on('error', () => {}); // A command need not read what it is given.
    child.stdin.end(stdin ?? '');
  });
}

/** Starts a command in a process group of its own. */
export function start(command, args, cwd, env = {}) {
  return spawn(command, args, { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env }, detached: true });
}

/** Kills a command with all that it started. */
export function killGroup({ pid }) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
