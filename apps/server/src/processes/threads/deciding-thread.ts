import { createLog } from '../../platform/logger.ts';
import { type DecidingOptions, startDecidingRole } from './deciding-roles.ts';
import { runThread } from './run-thread.ts';

await runThread<DecidingOptions>(async (options) =>
  startDecidingRole(options, createLog(options.settings.logLevel)),
);
