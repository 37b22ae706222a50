import type pg from 'pg';
import { auditLog } from '../market/log/log-audit.ts';
import { withClient } from '../platform/db/with-client.ts';
import { batchCheck } from '../transparency/audit/audit-batch-check.ts';
import { CHANCE_CHECK } from '../transparency/audit/audit-chance-check.ts';
import { audit, type CodeCheck } from '../transparency/audit/audit-checks.ts';
import { REPLAY_CHECK } from '../transparency/audit/audit-replay-check.ts';
import { schemaCheck } from '../transparency/audit/audit-schema-check.ts';
import { scopeOfAudit } from '../transparency/audit/audit-scope.ts';
import { SEEDED_CHECK } from './audit-seeded.ts';
import type { Arguments, Command } from './command.ts';
import { withInstallation } from './installation.ts';

export const AUDIT: Command = {
  name: 'audit',
  options: { log: { type: 'boolean' } },
  usage: '[--log]',
  does: 'Checks the money, the orders and the log, running or not, and changes nothing',
  help: `Exits with 0 when all is well, 1 when something is wrong, 2 when the check could not run. LOOK is for a human to judge: chance
hardly explains it, and the books are right. --log also hashes all entries of the
log again, which takes a while, and reports at the end what was checked and what was not.`,
  failure: 'The audit could not look',
  run,
};

function run({ values }: Arguments): Promise<number> {
  return withInstallation(async ({ database, signingKeyFile }) =>
    (await printAudit(database.server, signingKeyFile, values.log === true)) ? 0 : 1,
  );
}

/** @param withLog whether all entries of the log are hashed again. @returns whether nothing is wrong */
export function printAudit(
  server: pg.ClientConfig,
  signingKeyFile: string,
  withLog: boolean,
): Promise<boolean> {
  const scope: string[] = [];
  const auditOfTheLog: CodeCheck = {
    name: 'the log’s entries give the roots of its head, its checkpoints and its archive',
    run: async (client) => {
      scope.push(...(await scopeOfAudit(client)));
      return auditLog(client);
    },
  };
  return withClient(server, 'audit', async (client) => {
    const further = furtherChecks(signingKeyFile, withLog ? auditOfTheLog : null);
    const findings = await audit(client, further);
    for (const { name, count, details, isForJudgement } of findings) {
      const found = isForJudgement ? 'LOOK ' : 'WRONG';
      console.log(count === 0 ? `ok    ${name}` : `${found} ${name}: ${count}`);
      for (const detail of details) console.log(`        ${detail}`);
    }
    for (const line of scope) console.log(line);
    return !findings.some(({ count, isForJudgement }) => count > 0 && !isForJudgement);
  });
}

function furtherChecks(keyFile: string, ofTheLog: CodeCheck | null): CodeCheck[] {
  const batches = batchCheck(keyFile);
  if (batches === null) console.log(`----  no signature of a batch was checked: ${keyFile} is missing`);
  return [REPLAY_CHECK, CHANCE_CHECK, SEEDED_CHECK, schemaCheck(), batches, ofTheLog].filter(
    (check) => check !== null,
  );
}
