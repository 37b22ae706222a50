import { createLog } from '../../platform/logger.ts';
import { startTracing } from '../../platform/tracing.ts';
import { type DecidingOptions, startDecidingRole } from './deciding-roles.ts';
import { runThread } from './run-thread.ts';

await startTracing(process.env.OTEL_EXPORTER_OTLP_ENDPOINT || null);
await runThread<DecidingOptions>(async (options) =>
  startDecidingRole(options, createLog(options.settings.logLevel)),
);
