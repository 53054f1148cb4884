/**
 * Every lease operation with a marker in whatever may hold a secret, succeeding and failing in every way that
 * the real code and a worker can be brought to. No marker may leave the process.
 *
 * The only values without a marker are ids, which spans carry by default, and what the server must recognise.
 */
import { marked, markersIn, secrets, subjects, thrown } from '../host/marked.mjs';
import { failingAnswers } from '../host/operations.mjs';
import { database, echoSession, pluginRow, workerManager } from '../host/stage.mjs';

const inputs = {
  acquire: {
    agentId: 'agent-1',
    adapterType: marked('adapter'),
    executionWorkspaceSettings: secrets('settings'),
  },
  execute: {
    command: marked('command'),
    args: [marked('argument'), `--token=${marked('option')}`],
    env: { [marked('env-name')]: marked('env-value') },
    stdin: marked('stdin'),
    cwd: `/${marked('cwd')}`,
  },
  channel: { command: [marked('channel-command'), marked('channel-argument')] },
  sync: { operations: [{ localPath: marked('sync-local'), remotePath: marked('sync-remote') }] },
  workspace: {
    localPath: `/${marked('local')}`,
    remotePath: `/${marked('remote')}`,
    metadata: secrets('workspace'),
  },
  ingress: { port: 8080, path: `/${marked('ingress')}` },
};
const answers = {
  duplexChannelOpen: echoSession,
  environmentAcquireLease: {
    providerLeaseId: `https://sandboxes.example/${marked('granted')}`,
    metadata: secrets('granted'),
  },
  environmentReleaseLease: secrets('released'),
  environmentResumeLease: {
    providerLeaseId: `https://sandboxes.example/${marked('resumed')}`,
    metadata: secrets('resumed'),
  },
  environmentDestroyLease: secrets('destroyed'),
  environmentRealizeWorkspace: { cwd: `/${marked('realized')}`, metadata: secrets('realized') },
  environmentExecute: { exitCode: 3, timedOut: false, stdout: marked('stdout'), stderr: marked('stderr') },
  environmentSyncIn: secrets('synced-in'),
  environmentSyncOut: secrets('synced-out'),
  environmentRunnerIngressEndpoint: {
    kind: 'authenticated_websocket',
    websocketUrl: `wss://${marked('host')}.invalid/${marked('ingress')}`,
    secretHeaders: [{ name: 'authorization', value: marked('header') }],
    generation: marked('generation'),
  },
};

export function prepare({ environmentRuntimeService }) {
  const heard = new Set();
  const outcomes = [['answers', listening(answers, heard)]];
  for (const [what, error] of Object.entries(thrown())) {
    outcomes.push([`throws ${what}`, failingAnswers(answers, error)]);
  }
  const steps = {};
  for (const { kind, callsOf, environment, lease, pluginId, isWhole } of subjects()) {
    // A lease that never gets to the worker meets one kind of failure only.
    for (const [outcome, given] of isWhole ? outcomes : outcomes.slice(0, 2)) {
      const newStage = () => {
        const plugins = [pluginRow({ id: pluginId })];
        const tables = { plugins, environments: [environment], environment_leases: [{ ...lease }] };
        const options = { pluginWorkerManager: workerManager(given, pluginId) };
        return { service: environmentRuntimeService(database(tables), options), environment, lease };
      };
      const calls = callsOf(newStage, inputs);
      for (const [name, call] of Object.entries(calls)) steps[`${kind}: ${name}, worker ${outcome}`] = call;
    }
  }
  // Shows that the markers went through the operations, and not past them.
  return { ...steps, 'markers that reached a worker': () => [...heard].sort() };
}

/** The same answers, noting every marker that the worker is handed. */
function listening(given, heard) {
  return Object.fromEntries(
    Object.entries(given).map(([method, answer]) => [
      method,
      (params) => {
        for (const marker of markersIn(params)) heard.add(marker);
        return typeof answer === 'function' ? answer(params) : answer;
      },
    ]),
  );
}
