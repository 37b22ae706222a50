import { createLog } from '../../../apps/server/src/platform/logger.ts';
import { startDecidingRole } from '../../../apps/server/src/processes/threads/deciding-roles.ts';

/** The role `chain` in a process that a test kills; its options come as JSON. It says when it begins. */
await startDecidingRole(JSON.parse(process.argv[2] as string), createLog('silent'));
process.stdout.write('begun\n');
