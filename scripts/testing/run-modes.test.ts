import { describe, expect, test } from 'vitest';
import { MODES, type Mode } from './long-modes.ts';
import { logLine, modesFor, wrongSettings } from './run-modes.ts';

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
