import { randomUUID } from 'node:crypto';
import { post, postUntilHeard, register } from '@fairtick/kit/clients/api-client.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { LiveHouse, SYMBOL } from '@fairtick/kit/installation/live-house.ts';
import { say } from '@fairtick/kit/people/support.ts';
import { NatsServer } from '@fairtick/kit/processes/nats.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { expect, test } from 'vitest';

/** A feed, an engine and two APIs that tell each other over NATS (package nats-server). */
const nats = forFile(
  () => NatsServer.open(),
  (server) => server.kill(),
);
const house = forFile(() => LiveHouse.open({ natsUrl: nats.url }), closeAudited);

async function reader(token: string): Promise<StreamClient> {
  const stream = await StreamClient.open(house.origin(1), token);
  for (const topic of ['chat', 'orders', 'funds', `quote:${SYMBOL}`]) await stream.sub(topic);
  return stream;
}
const shows = (stream: StreamClient, topic: string, text: string) => () =>
  JSON.stringify(stream.of(topic)).includes(text);

async function buy(token: string): Promise<string> {
  const order = { symbol: SYMBOL, direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };
  const again = () => new Promise<void>((resolve) => setTimeout(resolve, 250));
  const answer = await postUntilHeard(
    house.origin(0),
    'order/create',
    order,
    { token, key: randomUUID() },
    again,
  );
  return answer.body.data.id;
}

test('what one process commits is on the screens of another, and no process holds a connection that listens', async () => {
  const ann = await register(house.origin(0));
  const stream = await reader(ann.token);
  await dataOf(say(house.origin(0), ann.token, 'by NATS'));
  await until(shows(stream, 'chat', 'by NATS'));
  const id = await buy(ann.token);
  await until(shows(stream, 'orders', `"id":"${id}"`));
  const { rowCount } = await house.db.owner.query(
    `select from pg_stat_activity where datname = current_database() and application_name = 'fairtick listener'`,
  );
  expect(rowCount).toBe(0);
  await dataOf(post(house.origin(0), 'user/logout', {}, { token: ann.token }));
  expect((await stream.end()).code).toBe(4401);
});

test('what is committed while NATS is dead is on the screens once it runs again; prices go on meanwhile', async () => {
  const ann = await register(house.origin(0));
  const stream = await reader(ann.token);
  const waits: number[] = [];
  for (let kill = 1; kill <= 5; kill += 1) {
    await nats.kill();
    await dataOf(say(house.origin(0), ann.token, `message ${kill}`));
    const id = await buy(ann.token);
    const { length } = stream.ticks(`quote:${SYMBOL}`);
    await until(() => stream.ticks(`quote:${SYMBOL}`).length > length);
    const startedMs = performance.now();
    await nats.start();
    await until(shows(stream, 'chat', `message ${kill}`));
    await until(shows(stream, 'orders', `"id":"${id}"`));
    waits.push(performance.now() - startedMs);
    await dataOf(say(house.origin(0), ann.token, `after ${kill}`));
    await until(shows(stream, 'chat', `after ${kill}`));
  }
  console.log(`ms from the start of NATS to right screens: ${waits.map(Math.round).join(', ')}`);
});
