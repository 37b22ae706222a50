import pg from 'pg';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

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
