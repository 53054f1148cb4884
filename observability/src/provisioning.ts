/** Where Grafana finds the dashboards. */
import { stringify } from 'yaml';
import { FOLDER } from './rules/grafana.js';

/** The folder that the dashboards are to be mounted or copied to. */
const PATH = '/var/lib/grafana/dashboards/paperclip';

export function grafanaDashboards(): string {
  const provider = {
    name: 'paperclip',
    orgId: 1,
    folder: FOLDER,
    type: 'file',
    allowUiUpdates: false,
    options: { path: PATH },
  };
  return stringify({ apiVersion: 1, providers: [provider] });
}
