import pg from 'pg';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import { isAway } from './db/database-away.ts';

/** Fields of a PostgreSQL error that can contain rows, keys and statements with personal data. */
const TELLING = ['detail', 'hint', 'where', 'internalQuery', 'parameters'];

/**
 * The log of a process, on standard output. It contains no personal data: it redacts fields by name, and removes values
 * from database errors.
 */
export function createLog(level: string, to?: DestinationStream): Logger {
  const options = {
    level,
    redact: ['token', 'password', '*.token', '*.password'],
    serializers: { err: (error: unknown) => withoutNames(error) },
    hooks: { logMethod: onceAMinute() },
  };
  return to ? pino(options, to) : pino(options);
}

/** An entry of the security log. It has the numbers of people, never their names or addresses. The balancer's line has the same `requestId`. */
export interface SecurityAct {
  readonly operation: string;
  /** `done`, or the code of the refusal. */
  readonly answer: string;
  readonly customer?: string | null;
  readonly staff?: string | null;
  readonly requestId: string;
}

/** Writes logins, guesses at secrets, changes of credentials and acts of staff. It writes in production only, whatever LOG_LEVEL is. */
export function securityLog(log: Logger, isProduction = process.env.NODE_ENV === 'production') {
  const lines = log.child({ about: 'security' }, isProduction ? { level: 'info' } : {});
  return (act: SecurityAct): void => lines.info(act, 'security');
}

const QUIET_MS = 60_000;

/**
 * While the database is away every part of the process fails again and again. Of errors with the same code one line a minute is
 * written, without a stack trace and with the number of those left out.
 */
function onceAMinute(): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  const told = new Map<string, { atMs: number; leftOut: number }>();
  return function write(args, method) {
    const [first, ...rest] = args as [{ err?: Error & { code?: string } } | undefined, ...unknown[]];
    const error = first?.err;
    if (!isAway(error)) return method.apply(this, args);
    const key = error?.code ?? error?.message ?? '';
    const before = told.get(key);
    const nowMs = performance.now();
    if (before !== undefined && nowMs - before.atMs < QUIET_MS) {
      before.leftOut += 1;
      return;
    }
    told.set(key, { atMs: nowMs, leftOut: 0 });
    const { message, code } = error as Error & { code?: string };
    const line = { ...first, err: { message: message || code, code }, leftOut: before?.leftOut ?? 0 };
    method.apply(this, [line, ...rest] as unknown as typeof args);
  };
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
