import { type Logger, pino } from 'pino';

/** What a process or one of its threads says, without what nobody may read. */
export const createLog = (level: string): Logger =>
  pino({ level, redact: ['token', 'password', '*.token', '*.password', 'err.parameters'] });
