import { replay } from './replay.ts';

/**
 * `npm run fairtick`: the commands of packages/proof/bin, and `replay` without `--url`, which reads an installation's own database.
 */
const [command, ...rest] = process.argv.slice(2);
const isElsewhere = rest.some((argument) => /^(--url|--help$|-h$)/.test(argument));
if (command === 'replay' && !isElsewhere) process.exitCode = await replay(rest);
else await import('../../../../packages/proof/bin/fairtick.ts');
