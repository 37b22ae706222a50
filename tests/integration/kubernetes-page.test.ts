import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { SETTINGS } from '../../apps/server/src/config/setting-names.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/KUBERNETES.md'), 'utf8');

test('the manifests of the page can be read, and name settings and volumes that exist', () => {
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(PAGE) ?? [];
  const [config, deployment, service] = yaml.split('---\n').map((text) => parseYaml(text) as any);
  expect([config.kind, deployment.kind, service.kind]).toEqual(['ConfigMap', 'Deployment', 'Service']);
  const { containers, volumes } = deployment.spec.template.spec;
  const settings = [...Object.keys(config.data), ...containers[0].env.map(({ name }: any) => name)];
  expect(settings.filter((name) => !SETTINGS.includes(name))).toEqual([]);
  const mounted = containers[0].volumeMounts.map(({ name }: any) => name);
  expect(mounted).toEqual(volumes.map(({ name }: any) => name));
  const opened = containers[0].ports.map(({ containerPort }: any) => containerPort);
  expect(service.spec.ports.map(({ port }: any) => port)).toEqual(opened);
  expect(containers[0].livenessProbe.httpGet.port).toBe(Number(config.data.METRICS_PORT));
});
