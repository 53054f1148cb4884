/** Whether the user's own code starts an SDK before the server: by preloads that are not this package's. */
import { keepFromChildren } from '../../attach/inheritance.js';
import { withoutModules } from '../../attach/node-options.js';
import type { Subject } from './check.js';
import { list } from './exporters.js';
import { runProbe } from './probe.js';

/** Time limit for a process that loads those preloads, in milliseconds. */
const LIMIT = 20_000;

/** What was found: checks of the same environment ask again. */
const known = new WeakMap<Subject['env'], Promise<boolean>>();

/** Found by loading what `NODE_OPTIONS` names, in a process of its own. */
export function isSdkYours(subject: Pick<Subject, 'env' | 'folder'>): Promise<boolean> {
  const found = known.get(subject.env) ?? findSdk(subject);
  known.set(subject.env, found);
  return found;
}

async function findSdk({ env, folder }: Pick<Subject, 'env' | 'folder'>): Promise<boolean> {
  const kept: NodeJS.ProcessEnv = { ...env };
  keepFromChildren({ env: kept, execArgv: [] });
  const { NODE_OPTIONS: options = '' } = kept;
  if (withoutModules(options, () => true) === options) return false;
  delete kept.OTEL_LOG_LEVEL;
  // An SDK without exporters registers nothing, and that of Prometheus opens a port.
  const readers = list(env, 'OTEL_METRICS_EXPORTER');
  if (readers.includes('prometheus')) kept.OTEL_METRICS_EXPORTER = 'console';
  const { answer } = await runProbe<boolean>('registered', { env: kept, cwd: folder, limit: LIMIT });
  return answer === true;
}
