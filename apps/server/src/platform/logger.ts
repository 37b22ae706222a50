import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import pg from 'pg';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import { isAway } from './db/database-away.ts';

/** Fields that can contain rows, keys and statements with personal data. */
const TELLING = ['detail', 'hint', 'where', 'internalQuery', 'parameters'];

/** The log of a process. It contains no personal data: fields are redacted by name, and values removed from database errors. */
export function createLog(level: string, to?: DestinationStream): Logger {
  const options = {
    level,
    redact: ['token', 'password', '*.token', '*.password'],
    serializers: { err: (error: unknown) => withoutNames(error) },
    hooks: { logMethod: fewAMinute() },
  };
  const stream = to ?? terminal();
  return stream ? pino(options, stream) : pino(options);
}

const STDOUT = 1;

/** At a terminal each line is written for a reader. Elsewhere, and in production, lines are JSON, and the library is not loaded. */
function terminal(): DestinationStream | null {
  if (process.env.NODE_ENV === 'production' || !isatty(STDOUT)) return null;
  const pretty = createRequire(import.meta.url)('pino-pretty') as (options: object) => DestinationStream;
  return pretty({ destination: STDOUT, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' });
}

/** It has the numbers of people, never their names or addresses. The balancer's line has the same `requestId`. */
export interface SecurityAct {
  readonly operation: string;
  readonly answer: string;
  readonly customer?: string | null;
  readonly staff?: string | null;
  readonly requestId: string;
}

/** Writes in production whatever LOG_LEVEL is, and only there. */
export function securityLog(log: Logger, isProduction = process.env.NODE_ENV === 'production') {
  const lines = log.child({ about: 'security' }, isProduction ? { level: 'info' } : {});
  return (act: SecurityAct): void => lines.info(act, 'security');
}

const QUIET_MS = 60_000;
/** Lines a minute about one fault, each with its stack trace; one without it while the database is away. */
const MOST_LINES = 5;
const MOST_FAULTS = 1_000;

interface Told {
  readonly sinceMs: number;
  readonly lines: number;
  leftOut: number;
}

/** Of one fault a few lines a minute are written, because a full disk lets every part of the process fail again and again. */
function fewAMinute(): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  const told = new Map<string, Told>();
  return function write(args, method) {
    const [first, ...rest] = args as [{ err?: Error & { code?: string } } | undefined, ...unknown[]];
    const error = first?.err;
    if (!(error instanceof Error)) return method.apply(this, args);
    const away = isAway(error);
    const key = away ? (error.code ?? error.message) : faultOf(error);
    const nowMs = performance.now();
    const last = told.get(key);
    const before = last !== undefined && nowMs - last.sinceMs < QUIET_MS ? last : undefined;
    if (before !== undefined && before.lines >= (away ? 1 : MOST_LINES)) {
      before.leftOut += 1;
      return;
    }
    if (told.size >= MOST_FAULTS) told.clear();
    told.set(key, { sinceMs: before?.sinceMs ?? nowMs, lines: (before?.lines ?? 0) + 1, leftOut: 0 });
    const { message, code } = error;
    const line = {
      ...first,
      ...(away ? { err: { message: message || code, code } } : {}),
      ...(last?.leftOut ? { leftOut: last.leftOut } : {}),
    };
    method.apply(this, [line, ...rest] as unknown as typeof args);
  };
}

/** What tells one fault from another: its kind, and where in the code it happened. Messages may name numbers and people. */
function faultOf({ name, code, stack = '' }: Error & { code?: string }): string {
  return `${code ?? name}${/\n +at (?!.*(?:node_modules|node:)).*/.exec(stack)?.[0] ?? ''}`;
}

function withoutNames(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const told: Record<string, unknown> = { ...stdSerializers.err(error) };
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (!(one instanceof pg.DatabaseError)) continue;
    for (const name of TELLING) delete told[name];
    // `invalid input syntax for type bigint: "what was typed"`
    const typed = /: "[\s\S]*"/.exec(one.message)?.[0];
    if (typed === undefined) continue;
    for (const name of ['message', 'stack']) told[name] = String(told[name]).replaceAll(typed, ': "…"');
  }
  return told;
}
