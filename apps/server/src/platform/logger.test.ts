import { execFileSync } from 'node:child_process';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import pg from 'pg';
import { beforeAll, expect, test, vi } from 'vitest';
import { createLog, securityLog } from './logger.ts';

const NAME = 'Rotkehlchen Anna';
const db = ownDatabase();
beforeAll(async () => {
  await db.owner.query(`create table people (name text primary key, age int check (age > 0))`);
  await db.owner.query('insert into people values ($1, 40)', [NAME]);
});

test.each([
  ['a key that is there already', 'insert into people values ($1, 41)', '23505'],
  ['a row that a rule forbids', `insert into people values ($1 || ' the second', 0)`, '23514'],
  ['a value of another type', 'select $1::text::bigint', '22P02'],
  ['a day that is none', 'select ($1::text)::date', '22007'],
])(
  'a line of the log about %s states what went wrong and where, and names no person',
  async (_what, statement, state) => {
    const error = await db.owner.query(statement, [NAME]).catch((caught: unknown) => caught);
    for (const logged of [error, new Error('it could not be done', { cause: error })]) {
      let lines = '';
      createLog('warn', { write: (line) => (lines += line) }).error({ err: logged }, 'unforeseen');
      expect(lines).toContain('unforeseen');
      expect(lines).toContain('at ');
      if (logged === error) expect(JSON.parse(lines).err.code).toBe(state);
      expect(lines).not.toContain('Rotkehlchen');
    }
  },
);

test('while the database is away, errors with one code make one line a minute, without a stack trace', async () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => lines.push(line) });
  const away = await new pg.Client({ host: '127.0.0.1', port: 1 })
    .connect()
    .catch((caught: unknown) => caught);
  for (let n = 0; n < 1_000; n += 1) log.warn({ err: away, requestId: n }, 'not ready');
  log.error({ err: new Error('something else') }, 'unforeseen');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['not ready', 'unforeseen']);
  expect(JSON.parse(lines[0] as string).err.code).toBe('ECONNREFUSED');
  expect(lines[0]).not.toMatch(/ at |\.ts/);
});

test('a fault that repeats makes five lines a minute with their stack trace, and another one is not left out', () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => lines.push(line) });
  const fails = (n: number) => Object.assign(new Error(`write ${n} failed`), { code: 'ENOSPC' });
  vi.useFakeTimers({ toFake: ['performance'] });
  for (let n = 0; n < 1_431; n += 1) log.error({ err: fails(n) }, 'unforeseen');
  log.error({ err: new TypeError('something else') }, 'unforeseen');
  expect(lines).toHaveLength(6);
  expect(lines[4]).toMatch(/write 4 failed.*logger\.test\.ts/);
  vi.advanceTimersByTime(60_000);
  log.error({ err: fails(2_000) }, 'unforeseen');
  vi.useRealTimers();
  expect(JSON.parse(lines[6] as string)).toMatchObject({ leftOut: 1_426, msg: 'unforeseen' });
});

test('the security log is written in production whatever the level is, and elsewhere not', () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => lines.push(line) });
  const act = { operation: 'user/login', answer: 'LOGIN_FAILED', customer: null, requestId: 'r-1' };
  securityLog(log, false)(act);
  expect(lines).toEqual([]);
  securityLog(log, true)(act);
  expect(JSON.parse(lines[0] as string)).toMatchObject({ about: 'security', ...act });
});

test('at a terminal a line is written for a reader; through a pipe, and in production, it is JSON', () => {
  const code = `(await import('${import.meta.dirname}/logger.ts')).createLog('warn').warn({ port: 1 }, 'not ready')`;
  const print = (NODE_ENV: string, isTerminal: boolean): string => {
    const command = [process.execPath, '--input-type=module', '--eval', code];
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const within =
      process.platform === 'darwin' ? ['-q', '/dev/null', ...command] : ['-qec', quoted, '/dev/null'];
    const [program, args] = isTerminal ? ['script', within] : [process.execPath, command.slice(1)];
    return execFileSync(program, args, {
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV, NO_COLOR: '1' },
    });
  };
  expect(print('development', true)).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: not ready\s+port: 1\s+$/);
  expect(JSON.parse(print('development', false))).toMatchObject({ msg: 'not ready', port: 1 });
  expect(JSON.parse(print('production', true))).toMatchObject({ msg: 'not ready', port: 1 });
});
