import pg from 'pg';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

/** What PostgreSQL adds to an error: rows, keys and statements with people's names in them. */
const TELLING = ['detail', 'hint', 'where', 'internalQuery', 'parameters'];

/**
 * The log of a process, on its standard output. It names no person: neither in fields that somebody logs by their name, nor in
 * what the database says of an error.
 */
export function createLog(level: string, to?: DestinationStream): Logger {
  const options = {
    level,
    redact: ['token', 'password', '*.token', '*.password'],
    serializers: { err: (error: unknown) => withoutNames(error) },
  };
  return to ? pino(options, to) : pino(options);
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
