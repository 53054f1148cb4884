/** The environment of processes that try an SDK. */
import { keepFromChildren } from '../../attach/inheritance.js';
import type { Subject } from './check.js';
import { list } from './exporters.js';

/** @returns one in which nothing is logged or attached, and no port is opened */
export function probeEnvironment(env: Subject['env']): NodeJS.ProcessEnv {
  const readers = list(env, 'OTEL_METRICS_EXPORTER');
  const others = readers.filter((name) => name !== 'prometheus');
  const kept: NodeJS.ProcessEnv = { ...env };
  delete kept.OTEL_LOG_LEVEL;
  if (others.length < readers.length)
    kept.OTEL_METRICS_EXPORTER = others.length === 0 ? 'none' : others.join(',');
  keepFromChildren({ env: kept, execArgv: [] });
  return kept;
}
