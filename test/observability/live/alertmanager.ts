/** An Alertmanager with the project's configuration, in which only addresses and times are others. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { answering, freePort, type Servers } from './processes.js';
import { findProgram } from './programs.js';

const CONFIG = new URL('../../../observability/alertmanager.yml', import.meta.url);
/** How long alerts of one group wait for each other, in seconds. */
const GROUP_SECONDS = 1;

interface Route {
  group_wait?: string;
  group_interval?: string;
  routes?: Route[];
}
interface Config {
  route: Route;
  receivers: { webhook_configs: { url: string }[] }[];
}

/**
 * @param receiver the address of a server that takes what the webhooks send; their paths stay
 * @returns where it listens: host and port
 */
export async function startAlertmanager(servers: Servers, receiver: string): Promise<string> {
  const config: Config = parse(readFileSync(CONFIG, 'utf8'));
  for (const route of [config.route, ...(config.route.routes ?? [])]) {
    route.group_wait = `${GROUP_SECONDS}s`;
    route.group_interval = `${GROUP_SECONDS}s`;
  }
  for (const webhook of config.receivers.flatMap(({ webhook_configs }) => webhook_configs)) {
    webhook.url = new URL(new URL(webhook.url).pathname, receiver).href;
  }
  const configFile = join(servers.folder, 'alertmanager.yml');
  writeFileSync(configFile, stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  // Debian's name is the first.
  const names = ['prometheus-alertmanager', 'alertmanager'];
  const started = servers.start(findProgram(names, 'prometheus-alertmanager'), [
    `--config.file=${configFile}`,
    `--storage.path=${join(servers.folder, 'alertmanager')}`,
    `--web.listen-address=${address}`,
    '--cluster.listen-address=',
    '--log.level=warn',
  ]);
  await answering(started, `http://${address}/-/ready`);
  return address;
}
