import { payingOnTron, SHORT } from '@fairtick/kit/chains/paying-on-tron.ts';
import { FragilePool } from '@fairtick/kit/database/pools.ts';
import { letADayPass } from '@fairtick/kit/people/money.ts';
import { expect, test } from 'vitest';

/** Payouts on TRON whose sender is cut off at some point: each is paid once, from one of two batches. */
const tron = payingOnTron();
const { payments, node, payouts, db, desk, agreed, upload, statesOf, arrived, isExpired } = tron;
const { followers, rounds, blocks, pass, violations, watch } = tron;

test('at any statement of a round, before it or after it, the next round goes on', async () => {
  const fragile = new FragilePool(db.chain);
  const broken = followers(fragile.pool);
  let reached = 0;
  for (let statement = 1; ; statement += 1) {
    for (const mishap of ['before', 'after'] as const) {
      payouts.minutes = SHORT;
      payments.isStuck = true;
      const { id, withdrawals, to } = await agreed(1);
      await upload(id);
      const step = async () => {
        for (const follower of broken) {
          fragile.plan(statement, mishap);
          await follower.round().catch(() => {});
          if (!fragile.isPlanned) reached = Math.max(reached, statement);
          fragile.calm();
        }
        await payments.mine();
        await watch();
      };
      await step();
      await pass(id);
      for (let times = 0; times < 6; times += 1) await step();
      await rounds();
      expect([statement, mishap, await isExpired(id)]).toEqual([statement, mishap, true]);
      payments.isStuck = false;
      payouts.minutes = 60;
      const next = await desk.replace(id, 'faster');
      await upload(next);
      for (let times = 0; times < 6; times += 1) await step();
      await blocks(6);
      expect([statement, mishap, await statesOf(withdrawals)]).toEqual([statement, mishap, ['paid']]);
      expect(arrived(to)).toEqual([19]);
    }
    await letADayPass(db);
    if (statement > reached) break;
  }
  expect(reached).toBeGreaterThan(3);
  expect(await violations()).toEqual([]);
}, 240_000);

test.each(['before', 'after'])('%s a node takes the bytes, the next round sends the same', async (when) => {
  const { id, withdrawals, to } = await agreed(1);
  await upload(id);
  node.behave(async (method, _params, truth) => {
    if (method !== 'broadcasthex') return null;
    if (when === 'after') await truth();
    return { isCut: true };
  });
  await rounds();
  node.behave(null);
  await blocks(6);
  expect(await statesOf(withdrawals)).toEqual(['paid']);
  expect(arrived(to)).toEqual([19]);
});

test('two senders at once pay once', async () => {
  const { id, withdrawals, to } = await agreed(1);
  await upload(id);
  const others = followers();
  for (let block = 0; block < 6; block += 1) {
    await Promise.all([rounds(), ...others.map((one) => one.round())]);
    await payments.mine();
  }
  await rounds();
  expect(await statesOf(withdrawals)).toEqual(['paid']);
  expect(arrived(to)).toEqual([19]);
});
