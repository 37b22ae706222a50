import { GeneratedRun } from '@fairtick/kit/hostile/generated-run.ts';
import { operationsOf } from '@fairtick/kit/hostile/request-generator.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Promise 13, long form: `REQUESTS` in total, generated from `SEED`. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const REQUESTS = Number(process.env.REQUESTS ?? 20_000);

describe('requests generated from the published document', () => {
  const installation = new Installation();
  let run: GeneratedRun;
  beforeAll(async () => {
    const server = await installation.startReady({ LIMIT_FAILED_LOGINS: '1000000' });
    run = await GeneratedRun.open(server.origin, SEED);
  });
  afterAll(() => installation.close());

  test('get documented answers without a server error, however many they are', async () => {
    console.log(`seed ${SEED}; again with SEED=${SEED} REQUESTS=${REQUESTS} npm run test:long -- generated`);
    const operations = operationsOf(run.api.document).length;
    await run.tryEach(Math.ceil(REQUESTS / 2 / operations));
    await run.wander(Math.ceil(REQUESTS / 2));
    console.log(`${JSON.stringify(run.counts)} ${JSON.stringify([...run.counts.byStatus])}`);
    expect(run.notReached()).toEqual([]);
    await run.stillTrades();
  });
});
