import { setTimeout as sleep } from 'node:timers/promises';
import { ownAnvil, settingsOf } from '@fairtick/kit/chains/anvil.ts';
import { newDepositor, watcherOf } from '@fairtick/kit/chains/watching.ts';
import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { moneyOf, usdt } from '@fairtick/kit/people/money.ts';
import { NodeProcess } from '@fairtick/kit/processes/node-process.ts';
import { expect, test } from 'vitest';
import { EvmSource } from './evm-source.ts';

/** The watcher is killed at random points of its work, beside payments and reorganisations: CHAIN_KILLS times. */
const KILLS = Number(process.env.CHAIN_KILLS || 10);
/** Its first round takes about as long. */
const MOST_MS = 150;
const db = auditedDatabase();
const anvil = ownAnvil();

test(
  `a watcher that is killed ${KILLS} times has credited what the chain has`,
  async () => {
    await db.server.query(`select log_begin('test.invalid')`);
    const chain = settingsOf(anvil, { confirmations: 2 });
    const last = await watcherOf(db, chain, new EvmSource(chain));
    await last.round();
    const people = await Promise.all([newDepositor(db, chain), newDepositor(db, chain)]);
    const sent: { txid: string; id: string; amount: number }[] = [];
    const below = (bound: number) => Math.floor(Math.random() * bound);
    const options = JSON.stringify({
      role: 'chain',
      server: db.chainAddress,
      settings: { chains: [chain], logLevel: 'silent' },
    });
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (const { id, to } of people) {
        const amount = 10 + below(50);
        sent.push({ txid: await anvil.pay(to, usdt(amount)), id, amount });
      }
      await anvil.mine(1 + below(3));
      if (below(3) === 0) await anvil.reorg(1);
      const dropped = sent[below(sent.length)];
      if (dropped && below(3) === 0) await anvil.resend(dropped.txid).catch(() => {});
      // The next one need not wait for the lease of the one that is dead.
      await db.owner.query(`update leases set holder = null where name = 'chain'`);
      const watcher = new NodeProcess('tests/kit/chains/watch-process.ts', { args: [options] });
      await watcher.untilTrue(() => watcher.output().includes('begun'), 60_000);
      await sleep(below(MOST_MS));
      await watcher.kill();
    }
    await anvil.mine(6);
    await last.round();
    for (const { id } of people) {
      let inChain = 0;
      for (const one of sent) if (one.id === id && (await anvil.has(one.txid))) inChain += one.amount;
      expect([id, (await moneyOf(db, id)).available]).toEqual([id, inChain]);
    }
  },
  60_000 + KILLS * 40_000,
);
