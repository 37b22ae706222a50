import { randomInt } from 'node:crypto';
import { MODES, type Mode } from './long-modes.ts';
import { beginRun, logRun, RUN_LOG } from './run-log.ts';
import type { Stage } from './stage.ts';
import { runVitest } from './tests.ts';

const PROGRESS_MS = 30_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Prints each mode with what it proves, how long it takes and its settings. */
export function listModes(): void {
  console.log('Long test modes. Run them with: [SETTING=VALUE…] npm run test:long -- NAME…\n');
  for (const mode of MODES) {
    const promises = mode.promises.length > 0 ? ` (promise ${mode.promises.join(', ')})` : '';
    console.log(`${mode.name}, ${mode.minutes} minutes${mode.needs ? `, needs ${mode.needs}` : ''}`);
    console.log(`  ${mode.proves}${promises}`);
    for (const { name, byDefault, means } of mode.settings)
      console.log(`    ${name}${byDefault === null ? '' : `=${byDefault}`}  ${means}`);
  }
  console.log(`\nA SEED that is not set is random. Each run adds a line to ${RUN_LOG}, with its SEED.`);
}

/** The mode of that name, or else the modes whose names contain the word. */
export function modesFor(word: string): readonly Mode[] {
  const exact = MODES.filter(({ name }) => name === word);
  return exact.length > 0 ? exact : MODES.filter(({ name }) => name.includes(word));
}

/** Settings whose value is no number above zero: with such a value a mode might prove nothing. */
export function wrongSettings(modes: readonly Mode[], environment: Environment): string[] {
  const wrong = modes.flatMap(({ settings }) =>
    settings.filter(({ name, byDefault }) => {
      const value = environment[name];
      if (value === undefined) return false;
      if (name === 'SEED') return !/^\d+$/.test(value);
      return byDefault !== null && (!/^\d+(\.\d+)?$/.test(value) || Number(value) === 0);
    }),
  );
  return [...new Set(wrong.map(({ name }) => `${name}=${environment[name]}`))];
}

/** Runs modes one after the other. @returns null when nothing ran, because a name or a setting is wrong */
export async function runModes(words: readonly string[]): Promise<Stage[] | null> {
  const unknown = words.filter((word) => modesFor(word).length === 0);
  const modes = [...new Set(words.flatMap(modesFor))];
  const wrong = wrongSettings(modes, process.env);
  if (unknown.length > 0 || wrong.length > 0) {
    const names = MODES.map(({ name }) => name).join(', ');
    if (unknown.length > 0) console.error(`no long mode is called ${unknown.join(', ')}; there are ${names}`);
    if (wrong.length > 0) console.error(`${wrong.join(', ')}: the value must be a number above 0`);
    process.exitCode = 1;
    return null;
  }
  const stages: Stage[] = [];
  for (const mode of modes) stages.push(await runMode(mode));
  return stages;
}

async function runMode(mode: Mode): Promise<Stage> {
  const run = beginRun(mode.name);
  const hasSeed = mode.settings.some(({ name }) => name === 'SEED');
  const environment = {
    ...process.env,
    ...(hasSeed && { SEED: process.env.SEED ?? String(randomInt(1e9)) }),
  };
  console.log(`${mode.name}: about ${mode.minutes} minutes with its default settings`);
  const printing = setInterval(() => {
    console.log(`${mode.name}: ${Math.round((Date.now() - run.startedAt.getTime()) / 1000)} s so far`);
  }, PROGRESS_MS);
  try {
    const options = [
      '--project',
      'long',
      '--disableConsoleIntercept',
      `tests/long/${mode.name}.long.test.ts`,
    ];
    const stage = await runVitest(mode.name, options, environment);
    logRun(run, { ...stage, settings: settingsOf(mode, environment) });
    return stage;
  } finally {
    clearInterval(printing);
  }
}

/** The seed, and the settings that differ from their defaults. */
export function settingsOf(mode: Mode, environment: Environment): string[] {
  const changed = mode.settings.filter(({ name, byDefault }) => {
    const value = environment[name];
    return name !== 'SEED' && value !== undefined && value !== String(byDefault);
  });
  const hasSeed = mode.settings.some(({ name }) => name === 'SEED');
  return [
    hasSeed ? `seed ${environment.SEED}` : 'no seed',
    changed.map(({ name }) => `${name}=${environment[name]}`).join(' ') || 'default settings',
  ];
}
