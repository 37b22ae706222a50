import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anchorsOf } from '@fairtick/kit/anchors.ts';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../apps/server/src/config/setting-names.ts';
import { STREAM_LIMITS } from '../../apps/server/src/platform/stream-limits.ts';
import { LIMITS } from '../../apps/server/src/platform/throttle/attempt-limits.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const GUIDE = read('docs/OPERATIONS.md');

describe('the operations guide', () => {
  const table = GUIDE.slice(GUIDE.indexOf('## Settings'), GUIDE.indexOf('## With systemd'));
  const explained = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
    [...(cell ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  );

  test('explains exactly the settings that the server reads', () => {
    const source =
      read('apps/server/src/config/config.ts') + read('apps/server/src/config/support-config.ts');
    const settings = [
      ...[...source.matchAll(/\benv\.([A-Z_]+)|\(env, '([A-Z_]+)'/g)].map(
        ([, direct, named]) => direct ?? named,
      ),
      // A secret may stand in a file.
      ...[...source.matchAll(/read(?:Database|Nats)Url\('([A-Z_]+)', env/g)].flatMap(([, name]) => [
        name,
        `${name}_FILE`,
      ]),
      ...[...Object.values(LIMITS), ...Object.values(STREAM_LIMITS)].map(({ setting }) => setting),
    ];
    expect(settings.length).toBeGreaterThan(15);
    expect([...new Set(explained)].sort()).toEqual([...new Set(settings)].sort());
    expect([...SETTINGS].sort()).toEqual([...new Set(settings)].sort());
  });

  test('names only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...GUIDE.matchAll(/npm run ([a-z][a-z:-]*)/g)].map(([, name]) => name as string);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test('names only files and chapters that exist', () => {
    const files = [...GUIDE.matchAll(/`((?:ops|tests|docs)\/[\w./-]+\.\w+)`/g)].map(
      ([, path]) => path as string,
    );
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const anchors = anchorsOf(GUIDE);
    const links = [...GUIDE.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor as string);
    expect(links.filter((link) => !anchors.has(link))).toEqual([]);
  });
});

describe('the office’s page for staff', () => {
  const page = read('docs/OFFICE.md');
  const texts = JSON.parse(read('apps/office/src/messages/en.json')) as Record<string, string>;

  test('names every act of the audit log as the office does, and no other', () => {
    const acts = Object.entries(texts).flatMap(([id, text]) => (id.startsWith('action.') ? [text] : []));
    const flat = page.replace(/\s+/g, ' ');
    expect(acts.filter((act) => !flat.includes(act))).toEqual([]);
    const named = [...flat.matchAll(/\*Audit log:\* ([A-Z].*?)\.(?= |$)/g)].flatMap(([, list = '']) =>
      list.replace(/ \([^)]*\)/g, '').split(/, (?=[A-Z])/),
    );
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((act) => !acts.includes(act))).toEqual([]);
  });

  test('leads only to chapters and files that exist', () => {
    const anchors = new Map([['', anchorsOf(page)]]);
    const lost = [...page.matchAll(/\]\(([\w./-]*)(?:#([^)]+))?\)/g)].filter(([, file = '', anchor]) => {
      if (!existsSync(join(ROOT, 'docs', file))) return true;
      if (!anchors.has(file)) anchors.set(file, anchorsOf(read(join('docs', file))));
      return anchor !== undefined && !anchors.get(file)?.has(anchor);
    });
    expect(lost.map(([link]) => link)).toEqual([]);
  });
});

describe('the systemd units', () => {
  test.each(['fairtick.service', 'fairtick@.service', 'fairtick-backup.service'])(
    '%s starts a program that exists',
    (unit) => {
      const text = read(join('ops', unit));
      const [, home] = /^WorkingDirectory=(.+)$/m.exec(text) ?? [];
      const [, node, program] = /^ExecStart=(\S+) (\S+)/m.exec(text) ?? [];
      expect(node).toBe(`${home}/scripts/node`);
      expect(existsSync(join(ROOT, program as string))).toBe(true);
      expect(dirname(program as string)).toBe('apps/server/src/commands');
    },
  );
});
