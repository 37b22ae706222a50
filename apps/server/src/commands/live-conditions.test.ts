import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { expect, test } from 'vitest';
import { liveFaults, refuseUnfitForLive } from './live-conditions.ts';

const db = ownDatabase();

/** Without faults about settings, which depend on the test's database server. */
const faults = async () =>
  (await liveFaults(db.owner)).filter((fault) => !/ of the database |demo's capital/.test(fault));

test('live mode refuses enabled demo channels and the demo customer, and names them', async () => {
  const channels = (await faults()).filter((fault) => fault.includes('channels'));
  expect(channels).toEqual(['MODE=live refuses demo channels that are on: 1, 2, 3, 4, 5']);
  // Channels are turned off by new versions; channel 1 stays on, with a real address.
  await db.owner.query(
    `insert into deposit_channels (id, version, asset_id, network, address, bank, min, max, presets, fee, is_enabled)
     select id, version + 1, asset_id, network, case when id = 1 then 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' else address end,
       bank, min, max, presets, fee, id = 1 from current_channels()`,
  );
  expect(await faults()).toEqual([]);
  await db.owner.query(
    `insert into customers (account, nickname, password_hash) values ('Demo_User', 'x', 'not a hash')`,
  );
  expect(await faults()).toEqual(['MODE=live refuses a database with the demo customer Demo_User']);
  await expect(refuseUnfitForLive(db.ownerAddress)).rejects.toThrow(/^MODE=live /);
});

test('live mode refuses capital that the demo made up', async () => {
  expect(await liveFaults(db.owner)).toContain(
    "MODE=live refuses the demo's capital (USDT, USD, BTC, ETH), which nobody has brought: begin a new house with an empty database",
  );
});

test('live mode needs a database with synchronous_commit on', async () => {
  const client = await db.owner.connect();
  try {
    await client.query('set synchronous_commit = off');
    expect(await liveFaults(client)).toContain('MODE=live needs synchronous_commit of the database to be on');
    await client.query('set synchronous_commit = on');
    expect(await liveFaults(client)).not.toContain(
      'MODE=live needs synchronous_commit of the database to be on',
    );
  } finally {
    client.release();
  }
});
