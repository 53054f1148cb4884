/** Thanos with replicated receivers, a querier and a ruler, on this machine. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answering, freePort, type Servers, type Started } from '../live/processes.js';

const REPLICAS = 3;
/** Four of each receiver, two of the querier and of the ruler. */
const PORTS = 4 * REPLICAS + 4;
/** Labels that tell copies of the same sample apart; the querier leaves them out. */
const REPLICA_LABELS = { receive: 'receive_replica', rule: 'rule_replica' } as const;

export interface Component {
  readonly process: Started;
  readonly url: string;
}

export interface Thanos {
  readonly receivers: readonly Component[];
  /** Answers as Prometheus does. */
  readonly querier: Component;
  readonly ruler: Component;
  /** Where Prometheus sends its samples. */
  readonly remoteWrite: string;
}

const address = (port: number) => `127.0.0.1:${port}`;

/**
 * @param program path of Thanos
 * @param rules path of a file of rules
 */
export async function startThanos(servers: Servers, program: string, rules: string): Promise<Thanos> {
  // All at once: a port that was free a moment ago may be given out again.
  const free = await Promise.all(Array.from({ length: PORTS }, freePort));
  const port = () => free.pop() as number;
  const start = async (component: string, grpc: number, args: readonly string[]): Promise<Component> => {
    const http = address(port());
    const listening = [`--http-address=${http}`, `--grpc-address=${address(grpc)}`, '--log.level=warn'];
    const process = servers.start(program, [component, ...listening, ...args]);
    await answering(process, `http://${http}/-/ready`);
    return { process, url: `http://${http}` };
  };
  const grpcPorts = Array.from({ length: REPLICAS }, port);
  const writePort = port();
  const hashrings = join(servers.folder, 'hashrings.json');
  writeFileSync(hashrings, JSON.stringify([{ endpoints: grpcPorts.map(address) }]));
  const receivers = await Promise.all(
    grpcPorts.map((grpc, index) =>
      start('receive', grpc, [
        `--tsdb.path=${join(servers.folder, `receive-${index}`)}`,
        `--remote-write.address=${address(index === 0 ? writePort : port())}`,
        `--receive.capnproto-address=${address(port())}`,
        `--label=${REPLICA_LABELS.receive}="${index}"`,
        `--receive.local-endpoint=${address(grpc)}`,
        `--receive.hashrings-file=${hashrings}`,
        `--receive.replication-factor=${REPLICAS}`,
      ]),
    ),
  );
  const rulerPort = port();
  const querier = await start('query', port(), [
    ...[...grpcPorts, rulerPort].map((port) => `--endpoint=${address(port)}`),
    ...Object.values(REPLICA_LABELS).map((label) => `--query.replica-label=${label}`),
  ]);
  const ruler = await start('rule', rulerPort, [
    `--data-dir=${join(servers.folder, 'rule')}`,
    `--rule-file=${rules}`,
    `--label=${REPLICA_LABELS.rule}="0"`,
    `--query=${querier.url}`,
  ]);
  return { receivers, querier, ruler, remoteWrite: `http://${address(writePort)}/api/v1/receive` };
}
