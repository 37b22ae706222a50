import { createLog } from '../../platform/logger.ts';
import { type DecidingOptions, startDecidingRole } from './deciding-roles.ts';
import { runThread } from './run-thread.ts';

/** The script of a thread in which a feed or an engine runs. */
await runThread<DecidingOptions>(async (options) =>
  startDecidingRole(options, createLog(options.settings.logLevel)),
);
