import { describe, expect, test } from 'vitest';
import { MODES, type Mode } from './long-modes.ts';
import { runLine } from './run-log.ts';
import { modesFor, settingsOf, wrongSettings } from './run-modes.ts';

const modeOf = (name: string) => MODES.find((mode) => mode.name === name) as Mode;

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
  const run = { name: 'any', startedAt: new Date('2026-03-01T12:30:15.678Z'), commit: 'abc1234', load: 0.25 };
  const line = (settings: string[]) =>
    runLine(run, { seconds: 61.6, passed: 1, failed: 0, settings }, 3).split(' | ');

  test('shows time, command, commit, machine, load, settings, seconds and result', () => {
    const [time, name, commit, machine, ...rest] = line(['seed 7']);
    expect([time, name, commit]).toEqual(['2026-03-01T12:30:15Z', 'any', 'abc1234']);
    expect(machine).toMatch(/^\d+ × .+, \d+ GiB, \w+ \S+$/);
    expect(rest).toEqual(['load 0.3 to 3.0', 'seed 7', '62 s', '1 passed, 0 failed']);
  });

  test('has the seed and the settings of a long mode that are no defaults', () => {
    const settings = (name: string, environment: Record<string, string>) =>
      settingsOf(modeOf(name), environment);
    expect(settings('simulation', { SEED: '7', SEEDS: '3', ORDERS: '150', KILLS: '9' })).toEqual([
      'seed 7',
      'SEEDS=3',
    ]);
    expect(settings('kill', { SEED: '7' })).toEqual(['no seed', 'default settings']);
  });
});
