import { setTimeout as sleep } from 'node:timers/promises';
import { type TronBatch, tronSigned, tronTransaction } from '@fairtick/protocol/payout-file';
import { pino } from 'pino';
import { afterEach, beforeAll, expect } from 'vitest';
import type { PayingTron } from '../../../apps/server/src/config/chains-file.ts';
import type { ChainWatcher } from '../../../apps/server/src/money/chains/chain-watcher.ts';
import { PayoutSender } from '../../../apps/server/src/money/chains/payout-sender.ts';
import { TronExpiry } from '../../../apps/server/src/money/chains/tron-expiry.ts';
import { TronPayoutNode } from '../../../apps/server/src/money/chains/tron-payout-node.ts';
import type { Pool } from '../../../apps/server/src/platform/db/database.ts';
import { MONEY_CHECKS } from '../../../apps/server/src/transparency/audit/audit-money-checks.ts';
import { startOffice } from '../clients/office-client.ts';
import { forFile } from '../fixtures/fixture.ts';
import { auditedDatabase, ownStaff } from '../fixtures/fixtures.ts';
import { ask, letADayPass, usdt } from '../people/money.ts';
import { FakeChain } from './fake-chain.ts';
import { fakeTron, tronSettings } from './fake-tron.ts';
import { addressOf, addressPayee, HOT, PayoutDesk } from './paying.ts';
import { TronPayments, tronAddress } from './tron-payments.ts';
import { watcherOf } from './watching.ts';

/** The address that pays. */
export const TRON_HOT = tronAddress(HOT.address);
/** Minutes after which a batch has expired, where a test waits for it. */
export const SHORT = 0.03;

/** An office that pays on a fake of TRON with two nodes, what follows its chain, and what a test asks of both. */
export function payingOnTron() {
  const chain = new FakeChain();
  const payments = new TronPayments(() => chain);
  const node = fakeTron(() => chain, payments);
  const second = fakeTron(() => chain, payments);
  const payouts = { address: TRON_HOT, feeLimitTrx: '50', minutes: 60 };
  const settings = (): PayingTron => ({ ...tronSettings(node), secondRpc: second.url, payouts });
  const db = auditedDatabase();
  const office = forFile(() => startOffice(db, { chains: [settings()] }));
  const cashier = ownStaff(db, office, 'cashier');
  const approver = ownStaff(db, office, 'approver');
  const desk = forFile(() => new PayoutDesk({ db, cashier, approver, chain: 'tron' }));
  let watcher: ChainWatcher;
  let last = 0;

  const followers = (pool: Pool = db.chain) => {
    const [one, two] = [new TronPayoutNode(settings()), new TronPayoutNode(settings(), second.url)];
    const parts = { chain: settings(), db: pool, node: one, second: two, log: pino({ level: 'silent' }) };
    return [new PayoutSender(parts), new TronExpiry(parts)] as const;
  };
  let own: ReturnType<typeof followers>;

  beforeAll(async () => {
    watcher = await watcherOf(db, settings(), new TronPayoutNode(settings()));
    own = followers();
    payments.fund(TRON_HOT, usdt(10_000));
    await payments.mine(5);
    await rounds();
    await rounds();
  });
  afterEach(async () => {
    node.behave(null);
    second.behave(null);
    payouts.minutes = 60;
    payments.isStuck = false;
    await letADayPass(db);
  });

  async function rounds(all: ReturnType<typeof followers> = own): Promise<void> {
    await watcher.round();
    for (const follower of all) await follower.round();
  }
  async function blocks(count: number): Promise<void> {
    for (let block = 0; block < count; block += 1) {
      await payments.mine();
      await rounds();
    }
  }

  /** A batch that two people agreed to, with withdrawals of new customers. */
  async function agreed(count = 2) {
    const to: string[] = [];
    const payees = [];
    for (let payment = 0; payment < count; payment += 1) {
      last += 1;
      to.push(tronAddress(addressOf(last)));
      payees.push(await addressPayee(office.origin, db, to.at(-1) as string));
    }
    const withdrawals: string[] = [];
    for (const payee of payees) withdrawals.push(await desk.withdrawal(payee));
    await payments.mine();
    const { data, error } = await desk.prepare();
    expect(error).toBeUndefined();
    expect((await desk.decide(data.id)).data).toEqual({ status: 'done' });
    return { id: data.id as string, withdrawals, to, payees };
  }
  const fileOf = async (id: string): Promise<{ batch: TronBatch; hash: string }> =>
    (await cashier.get('payout/file', { id })).body;
  const signed = (batch: TronBatch, by = HOT): Promise<string[]> =>
    Promise.all(
      batch.outputs.map(async (_, place) => {
        const { raw, txid } = tronTransaction(batch, place);
        return tronSigned(raw, (await by.sign({ hash: `0x${txid}` })).slice(2));
      }),
    );
  async function upload(id: string, raws?: string[], hash?: string): Promise<string> {
    const file = await fileOf(id);
    const bytes = raws ?? (await signed(file.batch));
    return desk.sign(id, JSON.stringify({ hash: hash ?? file.hash, signed: bytes }));
  }
  const statesOf = async (withdrawals: readonly string[]) =>
    (
      await db.server.query(
        `select distinct on (withdrawal_id) state, reason from payouts where withdrawal_id = any ($1) order by withdrawal_id, id desc`,
        [withdrawals],
      )
    ).rows.map(({ state, reason }) => reason ?? state);
  const arrived = (to: readonly string[]) => to.map((one) => Number(payments.balanceOf(one)) / 1e6);
  const isExpired = async (id: string) => (await approver.get('payout/detail', { id })).body.data.isExpired;
  const violations = async () => {
    const found: string[] = [];
    for (const { name, sql } of MONEY_CHECKS)
      for (const { detail } of (await db.owner.query(sql)).rows) found.push(`${name}: ${detail}`);
    return found.filter((one) => one.includes('payout') || one.includes('transaction'));
  };
  /** Until blocks are later than the expiration of a batch. */
  async function pass(id: string): Promise<void> {
    const { batch } = await fileOf(id);
    await sleep(Math.max(0, Number(batch.expiration) - Date.now() + 5));
  }
  async function given(withdrawal: string): Promise<unknown> {
    const said = [cashier.staffId, withdrawal, false, null, 'it has expired'];
    const proposal = await ask(db, 'payout_end_propose', said);
    return /^\d+$/.test(String(proposal))
      ? ask(db, 'proposal_approve', [approver.staffId, ['payout_end'], proposal])
      : proposal;
  }
  return {
    ...{ payments, node, second, payouts, settings, db, cashier, approver, desk, office },
    ...{ followers, rounds, blocks, agreed, fileOf, signed, upload, statesOf, arrived, isExpired },
    ...{ violations, pass, given },
    watch: () => watcher.round(),
    expire: () => own[1].round(),
  };
}
