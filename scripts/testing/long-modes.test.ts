import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logLine, MODES, type Mode, modesFor, wrongSettings } from './long-modes.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = 'tests/long';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pathOf = (name: string) => `${FOLDER}/${name}.long.ts`;
const modeOf = (name: string) => MODES.find((mode) => mode.name === name) as Mode;

describe('the list of long modes', () => {
  test('holds each file of the folder once, in the order of names', () => {
    const files = readdirSync(join(ROOT, FOLDER)).sort();
    expect(MODES.map(({ name }) => `${name}.long.ts`)).toEqual(files);
  });

  test.each(MODES)('$name takes at most ten minutes by default', ({ minutes }) => {
    expect(minutes).toBeGreaterThan(0);
    expect(minutes).toBeLessThanOrEqual(10);
  });

  test.each(MODES)(
    '$name has the settings that its source reads, with their defaults',
    ({ name, settings }) => {
      const found = read(pathOf(name)).matchAll(/process\.env\.(\w+)(?: \?\? ([\d_]+)\))?/g);
      const inSource = [...found].map(([, setting, number]) => [
        setting,
        number === undefined ? null : Number(number.replaceAll('_', '')),
      ]);
      const listed = settings.map((setting) => [setting.name, setting.byDefault]);
      expect(listed.sort()).toEqual(inSource.sort());
    },
  );

  test.each(MODES)('$name proves the promises whose rows name it', ({ name, promises }) => {
    const rows = [...read('docs/PROMISES.md').matchAll(/^\| (\d+) \|.*$/gm)];
    const named = rows
      .filter(([row]) => row.includes(`\`${pathOf(name)}\``))
      .map(([, number]) => Number(number));
    expect(promises).toEqual(named);
  });
});

describe('names', () => {
  const namesFor = (word: string) => modesFor(word).map(({ name }) => name);

  test('an exact name selects one mode, a part of a name all modes that contain it', () => {
    expect(namesFor('backup')).toEqual(['backup']);
    expect(namesFor('back')).toEqual(['backup', 'pgbackrest']);
    expect(namesFor('nothing')).toEqual([]);
  });
});

describe('settings', () => {
  test('must be above zero if their default is a number', () => {
    const modes = [modeOf('kill'), modeOf('planted-defects')];
    expect(wrongSettings(modes, { KILLS: '3', DEFECT: 'payout', SEED: '0', ROUNDS: 'x' })).toEqual([]);
    expect(wrongSettings(modes, { KILLS: '', DEFECTS: '0', SEED: '1.5' })).toEqual([
      'KILLS=',
      'DEFECTS=0',
      'SEED=1.5',
    ]);
  });
});

describe('the line of a run', () => {
  const startedAt = new Date('2026-03-01T12:30:15.678Z');
  const stage = { name: 'any', seconds: 61.6, passed: 1, failed: 0, files: [], complaints: [] };
  const lineOf = (name: string, environment: Record<string, string>) =>
    logLine(modeOf(name), stage, { startedAt, commit: 'abc1234+changes', environment }).split(' | ');

  test('shows time, mode, commit, machine, seed, settings, seconds and result', () => {
    const line = lineOf('simulation', { SEED: '7', SEEDS: '3', ORDERS: '150', KILLS: '9' });
    expect(line.slice(0, 3)).toEqual(['2026-03-01T12:30:15Z', 'simulation', 'abc1234+changes']);
    expect(line[3]).toMatch(/^\d+ × .+, \d+ GiB, \w+ \S+$/);
    expect(line.slice(4)).toEqual(['seed 7', 'SEEDS=3', '62 s', '1 passed, 0 failed']);
  });

  test('states that there is no seed and that the settings are the defaults', () => {
    expect(lineOf('kill', { SEED: '7' }).slice(4, 6)).toEqual(['no seed', 'default settings']);
  });
});
