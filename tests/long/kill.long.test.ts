import { killUnderLoad } from '@fairtick/kit/load/kill-run.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { afterAll, test } from 'vitest';

/** Promise 1, long form: `KILLS` kills of everything, some ten seconds each. */
const KILLS = Number(process.env.KILLS ?? 40);

const installation = new Installation();
afterAll(() => installation.close());

test(`kill -9 of the server and its database under load, ${KILLS} times, loses no acknowledged order and settles none twice`, async () => {
  await killUnderLoad(installation, { kills: KILLS, customers: 96, loadMs: 1_500, restartMs: 25_000 });
});
