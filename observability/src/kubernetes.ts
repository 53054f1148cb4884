/** The rules and the dashboards as objects of Kubernetes. */
import { stringify } from 'yaml';
import type { Timing } from './limits.js';
import { FOLDER } from './rules/grafana.js';
import { groups } from './rules/prometheus.js';

/** The rules for the Prometheus operator. */
export function prometheusRule(timing: Timing): string {
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'paperclip' },
    spec: { groups: groups(timing) },
  };
  return stringify(rule, { lineWidth: 0, aliasDuplicateObjects: false });
}

/**
 * A kustomization of the rules and a ConfigMap for each dashboard: together they would come near the 256 KiB that
 * `kubectl apply` can remember.
 *
 * @param rule path of the file with the rules, from the kustomization's folder
 * @param dashboards their files' paths, likewise
 */
export function kustomization(rule: string, dashboards: readonly { uid: string; path: string }[]): string {
  const maps = dashboards.map(({ uid, path }) => ({
    name: `${uid}-dashboard`,
    files: [path],
    options: {
      // What Grafana's sidecar looks for, and the folder where it is told to heed this annotation.
      labels: { grafana_dashboard: '1' },
      annotations: { grafana_folder: FOLDER },
      // With a hash in its name each change would add a map, and the old one would stay.
      disableNameSuffixHash: true,
    },
  }));
  return stringify({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [rule],
    configMapGenerator: maps,
  });
}
