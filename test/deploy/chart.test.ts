import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { VARIABLES } from '../../packages/helmdeck/src/server/config/variables.ts';
import { type Helm, installHelm } from '../support/services/helm.ts';
import { type Manifest, ROOT, readManifests } from './compose-files.ts';

// The chart, rendered by Helm itself.

const helm = await installHelm().catch((thrown: unknown) => {
  if (process.env.CI) throw thrown;
  return 'Helm could not be installed';
});
const CHART = join(ROOT, 'deploy/helm/helmdeck');
const ALL = {
  autoscaling: { enabled: true },
  ingress: { enabled: true },
  networkPolicy: { enabled: true },
  serviceMonitor: { enabled: true },
};
const SERVER = { database: { kind: 'server' } };
/** Where the schema of each API group is. */
const SCHEMAS: Record<string, string> = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
};

describe.skipIf(typeof helm === 'string')('the Helm chart', () => {
  const { path, importSchemas } = helm as Helm;
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-chart-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function runHelm(...args: string[]) {
    const env = { HOME: folder, PATH: process.env.PATH };
    return spawnSync(path, args, { encoding: 'utf8', env });
  }
  function template(values: object, release = 'helmdeck') {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    return runHelm('template', release, CHART, '--namespace', 'helmdeck', '--values', file);
  }
  function render(values: object, release?: string): (Manifest & { apiVersion: string })[] {
    const done = template(values, release);
    expect(done.stderr).toBe('');
    return parseAllDocuments(done.stdout).map((document) => document.toJS());
  }
  const find = (manifests: Manifest[], kind: string) => manifests.find((each) => each.kind === kind)!;
  const kinds = (manifests: Manifest[]) => manifests.map(({ kind }) => kind).sort();

  async function validate(manifest: Manifest & { apiVersion: string }): Promise<void> {
    const schemas = await importSchemas(SCHEMAS[manifest.apiVersion]!);
    new schemas[manifest.kind]!(manifest).validate();
  }

  it('Helm finds nothing wrong with the chart, whose version of the image is that of the package', () => {
    expect(runHelm('lint', '--strict', CHART)).toMatchObject({ status: 0 });
    const { appVersion } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
    const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/helmdeck/package.json'), 'utf8'));
    expect(appVersion).toBe(version);
  });

  it.each([
    ['defaults', {}, ['Service', 'StatefulSet']],
    ['a database server', SERVER, ['Deployment', 'PodDisruptionBudget', 'Service']],
    [
      'a volume and everything else',
      ALL,
      ['Ingress', 'NetworkPolicy', 'Service', 'ServiceMonitor', 'StatefulSet'],
    ],
    [
      'a database server and everything else',
      { ...ALL, ...SERVER },
      [
        'Deployment',
        'HorizontalPodAutoscaler',
        'Ingress',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'Service',
        'ServiceMonitor',
      ],
    ],
  ])(
    'the chart with %s renders objects that fit the schemas of Kubernetes',
    async (_title, values, wanted) => {
      const rendered = render(values);
      expect(kinds(rendered)).toEqual(wanted);
      for (const manifest of rendered) await validate(manifest);
      const broken = structuredClone(find(rendered, 'Service'));
      broken.spec.ports[0].port = 'http';
      await expect(validate(broken as Manifest & { apiVersion: string })).rejects.toThrow('must be integer');
    },
  );

  it.each([
    ['helmdeck.yaml', { ...SERVER, autoscaling: { enabled: true } }],
    ['single-node.yaml', {}],
  ])('the chart renders the same specs as the manifests of %s, apart from labels', (file, values) => {
    const rendered = render(values);
    for (const manifest of readManifests(`deploy/kubernetes/${file}`)) {
      if (manifest.kind === 'Namespace') continue;
      expect(withoutLabels(find(rendered, manifest.kind).spec), manifest.kind).toEqual(
        withoutLabels(manifest.spec),
      );
    }
  });

  it.each([
    'helmdeck.yaml',
    'single-node.yaml',
    'network-policy.yaml',
    'ingress.example.yaml',
    'service-monitor.example.yaml',
    'secret.example.yaml',
  ])('the manifests of %s fit the schemas of Kubernetes', async (file) => {
    for (const manifest of readManifests(`deploy/kubernetes/${file}`))
      await validate(manifest as Manifest & { apiVersion: string });
  });

  it('the chart renders the same network policy, ingress and service monitor as the manifests, apart from labels', () => {
    const rendered = render({ ...ALL, ...SERVER });
    for (const file of ['network-policy.yaml', 'ingress.example.yaml', 'service-monitor.example.yaml']) {
      const [manifest] = readManifests(`deploy/kubernetes/${file}`);
      const { kind, spec, metadata } = manifest! as Manifest & { metadata: { annotations?: object } };
      expect(withoutLabels(find(rendered, kind).spec), file).toEqual(withoutLabels(spec));
      if (metadata.annotations)
        expect(find(rendered, kind).metadata).toMatchObject({ annotations: metadata.annotations });
    }
  });

  it('selectors match the pods and the service, and names begin with those of the release', () => {
    const rendered = render({ ...ALL, ...SERVER }, 'team');
    const { template: pod, selector } = find(rendered, 'Deployment').spec;
    const { labels } = pod.metadata;
    const service = find(rendered, 'Service');
    expect(labels).toMatchObject(selector.matchLabels);
    expect(labels).toMatchObject(service.spec.selector);
    expect(labels).toMatchObject(find(rendered, 'NetworkPolicy').spec.podSelector.matchLabels);
    expect(labels).toMatchObject(find(rendered, 'PodDisruptionBudget').spec.selector.matchLabels);
    expect(service.metadata.labels).toMatchObject(find(rendered, 'ServiceMonitor').spec.selector.matchLabels);
    for (const { metadata } of rendered)
      expect(metadata).toMatchObject({ name: 'team-helmdeck', namespace: 'helmdeck' });
    expect(find(rendered, 'HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe('team-helmdeck');
    expect(find(rendered, 'Ingress').spec.rules[0].http.paths[0].backend.service.name).toBe('team-helmdeck');
  });

  it('settings and secret entries become variables that the server knows, numbers as they were written', () => {
    const secretEntries = ['HELMDECK_MEMORY_KEY', 'HELMDECK_MEMORY_KEY_PREVIOUS'];
    const settings = { HELMDECK_RECALL_CACHE_BYTES: 1_073_741_824, HELMDECK_LOG_LEVEL: 'warn' };
    const rendered = render({ settings, secretEntries, existingSecret: 'mine', ingress: { enabled: true } });
    const { containers, volumes } = find(rendered, 'StatefulSet').spec.template.spec;
    const mount = '/run/secrets/helmdeck';
    expect(containers[0].env).toEqual([
      { name: 'HELMDECK_MEMORY_KEY_FILE', value: `${mount}/HELMDECK_MEMORY_KEY` },
      { name: 'HELMDECK_MEMORY_KEY_PREVIOUS_FILE', value: `${mount}/HELMDECK_MEMORY_KEY_PREVIOUS` },
      { name: 'HELMDECK_DB', value: '/data/helmdeck.db' },
      { name: 'HELMDECK_PUBLIC_URL', value: 'https://memory.example.com' },
      { name: 'HELMDECK_LOG_LEVEL', value: 'warn' },
      { name: 'HELMDECK_RECALL_CACHE_BYTES', value: '1073741824' },
    ]);
    for (const { name } of containers[0].env)
      expect(VARIABLES).toHaveProperty([name.replace('HELMDECK_', '').replace(/_FILE$/, '')]);
    expect(volumes.find(({ name }: { name: string }) => name === 'secrets').secret.secretName).toBe('mine');
  });

  it.each([
    ['an unknown kind of database', { database: { kind: 'mysql' } }, 'database.kind'],
    ['no Secret', { existingSecret: '' }, 'existingSecret'],
    ['a secret among the settings', { settings: { HELMDECK_MEMORY_KEY: 'x' } }, 'put it into the Secret'],
    ['the database among the settings', { settings: { HELMDECK_DB: 'x' } }, 'put it into the Secret'],
  ])('the chart refuses %s with a reason', (_title, values, reason) => {
    const { status, stderr } = template(values);
    expect(status).not.toBe(0);
    expect(stderr).toContain(reason);
  });
});

/** Labels differ: the chart has those of Helm. */
function withoutLabels(spec: unknown): unknown {
  return JSON.parse(
    JSON.stringify(spec, (key, value) =>
      ['labels', 'matchLabels'].includes(key) && !('helmdeck-client' in value) ? undefined : value,
    ),
    (key, value) => (key === 'selector' && 'app.kubernetes.io/name' in value ? { app: 'helmdeck' } : value),
  );
}
