import { FakeChain } from '@fairtick/kit/chains/fake-chain.ts';
import { coreSettings, fakeCore } from '@fairtick/kit/chains/fake-core.ts';
import { fakeTron, TRON_USDT, tronSettings } from '@fairtick/kit/chains/fake-tron.ts';
import { newDepositor } from '@fairtick/kit/chains/watching.ts';
import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { expect, test } from 'vitest';
import { createLog } from '../platform/logger.ts';
import { ChainRole } from './chain-role.ts';

const db = auditedDatabase();
const [bitcoin, tron] = [new FakeChain(), new FakeChain()];
const core = fakeCore(() => bitcoin);
const node = fakeTron(() => tron);

test('one process watches chains of several kinds, and a dead node holds up its own chain alone', async () => {
  await db.server.query(`select log_begin('test.invalid')`);
  const chains = [coreSettings(core), tronSettings(node)];
  const role = await ChainRole.create(db.chain, { chains, holder: 'test', log: createLog('silent') });
  core.behave(async () => ({ isCut: true }));
  role.start();
  try {
    const count = async (table: string) =>
      (await db.owner.query(`select count(*)::int as count from ${table}`)).rows[0].count;
    await until(async () => (await count('chain_heads')) === 1);
    const [onBitcoin, onTron] = [
      await newDepositor(db, coreSettings(core)),
      await newDepositor(db, tronSettings(node)),
    ];
    await tron.pay(onTron.to, 25_000_000n, TRON_USDT);
    await tron.mine(3);
    const credited = async () =>
      (
        await db.owner.query<{ chain: string; amount: string }>(
          `select chain, amount::text from chain_deposits where state in ('credited', 'final') order by chain`,
        )
      ).rows;
    await until(async () => (await credited()).length === 1);
    expect(await credited()).toEqual([{ chain: 'tron', amount: '25000000' }]);
    core.behave(null);
    await until(async () => (await count('chain_heads')) === 2);
    await bitcoin.pay(onBitcoin.to, 5_000_000n);
    await bitcoin.mine(3);
    await until(async () => (await credited()).length === 2);
    expect((await credited())[0]).toEqual({ chain: 'bitcoin', amount: '5000000' });
  } finally {
    await role.stop();
  }
});
