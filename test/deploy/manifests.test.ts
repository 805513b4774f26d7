import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../../packages/helmdeck/src/server/config/variables.ts';
import { testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { ROOT, readManifests } from './compose-files.ts';

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('Kubernetes manifests', () => {
  const several = readManifests('deploy/kubernetes/helmdeck.yaml');
  const single = readManifests('deploy/kubernetes/single-node.yaml');
  const find = (manifests: typeof several, kind: string) => manifests.find((each) => each.kind === kind)!;

  it.each([
    ['several nodes', find(several, 'Deployment')],
    ['one node', find(single, 'StatefulSet')],
  ])(
    'the manifests run %s without root, on a read-only file system, with liveness and readiness probes',
    (_title, workload) => {
      const pod = workload.spec.template.spec;
      const [container] = pod.containers;
      expect(pod).toMatchObject({
        enableServiceLinks: false,
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true },
      });
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      expect(container.livenessProbe.httpGet.path).toBe('/healthz');
      expect(container.startupProbe.httpGet.path).toBe('/healthz');
      expect(container.readinessProbe.httpGet.path).toBe('/readyz');
      const mounted = container.volumeMounts.map((mount: { name: string }) => mount.name);
      const volumes = [
        ...pod.volumes,
        ...(workload.spec.volumeClaimTemplates ?? []).map((c: { metadata: object }) => c.metadata),
      ];
      expect(volumes.map((volume: { name: string }) => volume.name).sort()).toEqual(mounted.sort());
      expect(workload.spec.template.metadata.labels).toMatchObject(workload.spec.selector.matchLabels);
    },
  );

  it.each([
    ['several nodes', find(several, 'Deployment')],
    ['one node', find(single, 'StatefulSet')],
  ])(
    'the manifests give %s its secrets as files, each of them an entry of the example Secret',
    (_title, workload) => {
      const secret = readManifests('deploy/kubernetes/secret.example.yaml')[0]!;
      const pod = workload.spec.template.spec;
      const [container] = pod.containers;
      expect(container.envFrom).toBeUndefined();
      const { mountPath } = container.volumeMounts.find((each: { name: string }) => each.name === 'secrets');
      const files = (container.env as { name: string; value: string }[]).filter(({ name }) =>
        name.endsWith('_FILE'),
      );
      expect(files.map(({ name }) => name)).toContain('HELMDECK_MEMORY_KEY_FILE');
      for (const { name, value } of files) {
        const variable = name.replace(/_FILE$/, '');
        expect(value).toBe(`${mountPath}/${variable}`);
        expect(secret.stringData).toHaveProperty([variable]);
        expect(VARIABLES).toHaveProperty([variable.replace('HELMDECK_', ''), 'secret'], true);
      }
      const given = [...files.map(({ name }) => name.replace(/_FILE$/, '')), 'HELMDECK_DB'];
      expect(Object.keys(secret.stringData!).filter((name) => !given.includes(name))).toEqual([]);
    },
  );

  it('the network policy, the ingress and the service monitor select the pods and ports of the manifests', () => {
    const service = find(several, 'Service');
    const labels = find(several, 'Deployment').spec.template.metadata.labels;
    const [policy] = readManifests('deploy/kubernetes/network-policy.yaml');
    expect(labels).toMatchObject(policy!.spec.podSelector.matchLabels);
    expect(policy!.spec.ingress[0].ports).toEqual([{ protocol: 'TCP', port: service.spec.ports[0].port }]);
    const [monitor] = readManifests('deploy/kubernetes/service-monitor.example.yaml');
    expect(service.metadata.labels).toMatchObject(monitor!.spec.selector.matchLabels);
    expect(monitor!.spec.endpoints[0].port).toBe(service.spec.ports[0].name);
    const [ingress] = readManifests('deploy/kubernetes/ingress.example.yaml');
    const [all] = ingress!.spec.rules[0].http.paths;
    expect(all.backend.service).toEqual({
      name: service.metadata.name,
      port: { name: service.spec.ports[0].name },
    });
  });

  it('the selectors of the autoscaler and the disruption budget match the pods', () => {
    const { spec } = find(several, 'HorizontalPodAutoscaler');
    expect(spec.scaleTargetRef).toMatchObject({
      kind: 'Deployment',
      name: find(several, 'Deployment').metadata.name,
    });
    expect(spec.minReplicas).toBeGreaterThan(1);
    const labels = find(several, 'Deployment').spec.template.metadata.labels;
    expect(labels).toMatchObject(find(several, 'PodDisruptionBudget').spec.selector.matchLabels);
    for (const manifests of [several, single])
      expect(labels).toMatchObject(find(manifests, 'Service').spec.selector);
  });

  it('the single-node manifest never runs two processes on one database file', () => {
    expect(find(single, 'StatefulSet').spec.replicas).toBe(1);
    expect(single.some(({ kind }) => kind === 'HorizontalPodAutoscaler')).toBe(false);
  });

  it('the example Secret sets only variables the server knows, and contains no real key', () => {
    const secret = readManifests('deploy/kubernetes/secret.example.yaml')[0]!;
    for (const name of Object.keys(secret.stringData!))
      expect(VARIABLES).toHaveProperty([name.replace('HELMDECK_', '')]);
    for (const value of Object.values(secret.stringData!)) expect(value).not.toMatch(/^[0-9a-f]{16,}$/);
  });
});

describe('dashboard and alerts', () => {
  const rules = parse(text('deploy/observability/alerts.yml')) as {
    groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
  };
  const dashboard = JSON.parse(text('deploy/observability/grafana/helmdeck.json')) as {
    panels: { title: string; targets: { expr: string }[] }[];
    templating: { list: { query: string }[] };
  };
  const namesIn = (expressions: string[]) =>
    new Set(expressions.flatMap((each) => each.match(/\b(?:helmdeck|nodejs|process)_[a-z0-9_]+/g) ?? []));

  it('the dashboard and the alerts use only metrics the server exports', async () => {
    const server = await testServer();
    await server.call('ada', 'GET', '/api/v1/memory/stats');
    await server.call('ada', 'POST', '/api/v1/packs/helmdeck.memory_history', { key: 'x' });
    const known = new Set(
      [
        ...(await (await server.call(undefined, 'GET', '/metrics')).text()).matchAll(/^# TYPE (\S+) (\S+)/gm),
      ].flatMap(([, name, kind]) =>
        kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
      ),
    );
    await server.close();
    const used = namesIn([
      ...rules.groups.flatMap(({ rules: each }) => each.map(({ expr }) => expr)),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...dashboard.templating.list.map(({ query }) => query),
    ]);
    expect(used.size).toBeGreaterThan(10);
    expect([...used].filter((name) => !known.has(name))).toEqual([]);
    const shown = [...used].map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    const own = [...known]
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
      .filter((name) => /^helmdeck_/.test(name));
    expect([...new Set(own)].filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('each alert says what happened and what to do', () => {
    for (const { alert, annotations } of rules.groups.flatMap((group) => group.rules)) {
      expect(annotations.summary, alert).toBeTruthy();
      expect(annotations.action, alert).toBeTruthy();
    }
  });

  it('dashboard expressions have balanced brackets, and panels have unique names', () => {
    const expressions = [
      ...rules.groups.flatMap((g) => g.rules),
      ...dashboard.panels.flatMap((p) => p.targets),
    ];
    for (const { expr } of expressions)
      for (const [open, close] of ['()', '{}', '[]'].map((pair) => [...pair]))
        expect(expr.split(open!).length, expr).toBe(expr.split(close!).length);
    const titles = dashboard.panels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('the systemd unit', () => {
  it('systemd-analyze accepts the systemd unit', (context) => {
    const done = spawnSync('systemd-analyze', ['verify', join(ROOT, 'deploy/systemd/helmdeck.service')], {
      encoding: 'utf8',
    });
    if (done.error) context.skip('systemd-analyze is not installed');
    // The server is not installed on the test machine.
    const problems = done.stderr
      .split('\n')
      .filter((line) => line !== '' && !line.includes('is not executable'));
    expect(problems).toEqual([]);
  });

  it('the systemd unit runs as its own user, writes only to its state folder, dumps no core, and sets only variables the server knows', () => {
    const unit = text('deploy/systemd/helmdeck.service');
    for (const line of [
      'User=helmdeck',
      'ProtectSystem=strict',
      'StateDirectory=helmdeck',
      'NoNewPrivileges=yes',
      'ProtectProc=invisible',
      'LimitCORE=0',
      'SystemCallFilter=@system-service',
    ])
      expect(unit).toContain(`\n${line}\n`);
    for (const [, name] of unit.matchAll(/HELMDECK_([A-Z_]+)=/g)) expect(VARIABLES).toHaveProperty([name!]);
  });
});
