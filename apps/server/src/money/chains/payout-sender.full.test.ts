import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownAnvil } from '@fairtick/kit/chains/anvil.ts';
import { falseNode } from '@fairtick/kit/chains/false-node.ts';
import {
  addressOf,
  addressPayee,
  HOT,
  HOT_KEY,
  OTHER,
  PayoutDesk,
  payingFrom,
  signedFile,
} from '@fairtick/kit/chains/paying.ts';
import { watcherOf } from '@fairtick/kit/chains/watching.ts';
import { startOffice } from '@fairtick/kit/clients/office-client.ts';
import { FragilePool } from '@fairtick/kit/database/pools.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { auditedDatabase, ownStaff, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { ask, letADayPass, moneyOf, type Payee, statusOf, usdt } from '@fairtick/kit/people/money.ts';
import { evmTransaction } from '@fairtick/protocol/payout-file';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Pool } from '../../platform/db/database.ts';
import { MONEY_CHECKS } from '../../transparency/audit/audit-money-checks.ts';
import type { ChainWatcher } from './chain-watcher.ts';
import { EvmSource } from './evm-source.ts';
import { PayoutSender } from './payout-sender.ts';

/** Payouts on a real node (anvil): whatever fails, each withdrawal is paid once or not at all, and the ledger says which. */
const db = auditedDatabase();
const anvil = ownAnvil();
const provider = falseNode(anvil);
const folder = temporaryFolder('signer');
const settings = () => payingFrom({ url: provider.url, token: anvil.token }, { confirmations: 2 });
const office = forFile(() => startOffice(db, { chains: [settings()] }));
const cashier = ownStaff(db, office, 'cashier');
const approver = ownStaff(db, office, 'approver');
const desk = forFile(() => new PayoutDesk({ db, cashier, approver }));
let watcher: ChainWatcher;
let payees: Payee[];
let sender: PayoutSender;
let last = 0;

const senderWith = (pool: Pool = db.chain, chain = settings()): PayoutSender => {
  const node = new EvmSource(chain);
  return new PayoutSender({ chain, db: pool, node, second: null, log: pino({ level: 'silent' }) });
};
beforeAll(async () => {
  await anvil.fund(HOT.address);
  watcher = await watcherOf(db, settings(), new EvmSource(settings()));
  sender = senderWith();
  await anvil.mine(4);
  await rounds();
});
// Customers of their own for each test, so that balances of their addresses say what it paid.
beforeEach(async () => {
  payees = [];
  for (let count = 0; count < 2; count += 1) {
    last += 1;
    payees.push(await addressPayee(office.origin, db, addressOf(last)));
  }
});
afterEach(async () => {
  provider.behave(null);
  await letADayPass(db);
});

async function rounds(count = 1): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    await watcher.round();
    await sender.round();
  }
}
/** A block each, and what follows from it. */
async function blocks(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    await anvil.mine();
    await rounds();
  }
}
const payoutOf = async (withdrawal: string) =>
  (
    await db.server.query('select * from payouts where withdrawal_id = $1 order by id desc limit 1', [
      withdrawal,
    ])
  ).rows[0];
const stateOf = async (withdrawal: string): Promise<string> => (await payoutOf(withdrawal)).state;
/** The balances of the customers' addresses, in whole tokens. */
const arrived = () =>
  Promise.all(
    payees.map(async (_, place) => Number(await anvil.balanceOf(addressOf(last - 1 + place))) / 1e6),
  );
const raws = async (batch: string): Promise<{ txid: string; raw: `0x${string}` }[]> =>
  (
    await db.owner.query('select txid, raw from payout_signatures where batch_id = $1 order by payout_id', [
      batch,
    ])
  ).rows;
const violations = async () => {
  const found: string[] = [];
  for (const { name, sql } of MONEY_CHECKS)
    for (const { detail } of (await db.owner.query(sql)).rows) found.push(`${name}: ${detail}`);
  return found.filter((one) => one.includes('payout') || one.includes('nonce'));
};

describe('from the office to the chain', () => {
  test('by the signer’s own program: sent, confirmed at the channel’s confirmations, paid at finality', async () => {
    const { id, withdrawals } = await desk.agreed(...payees);
    const [file, key] = [join(folder, 'batch.json'), join(folder, 'key')];
    writeFileSync(file, JSON.stringify(await desk.fileOf(id)));
    writeFileSync(key, HOT_KEY);
    const signer = spawn(process.execPath, ['scripts/payout-sign.ts', file, '--key', key], { stdio: 'pipe' });
    const said: string[] = [];
    signer.stdout.on('data', (data) => said.push(String(data)));
    signer.stdin.end('y\n');
    expect((await once(signer, 'exit'))[0]).toBe(0);
    const words = said.join('');
    expect(words).toContain(
      `1. Pay 19 USDT on ERC20 to ${addressOf(last - 1)}\n   for withdrawal ${withdrawals[0]}`,
    );
    expect(words).toContain('Together 38 USDT');
    expect(words.replaceAll(' ', '')).toContain((await desk.fileOf(id)).hash);
    expect(await desk.sign(id, readFileSync(join(folder, 'batch.signed.json'), 'utf8'))).toBe('taken');
    const [first] = withdrawals as [string];
    expect(await stateOf(first)).toBe('sending');
    await rounds();
    expect(await stateOf(first)).toBe('sent');
    await blocks(1);
    expect(await payoutOf(first)).toMatchObject({ state: 'sent', txid: (await raws(id))[0]?.txid });
    await blocks(1);
    expect(await stateOf(first)).toBe('confirmed');
    expect(await statusOf(db, 'withdrawal', first)).toBe('sending');
    await blocks(4);
    expect(await stateOf(first)).toBe('paid');
    const { rows } = await db.owner.query(
      'select status, reference from withdrawal_requests where id = any ($1)',
      [withdrawals],
    );
    expect(rows).toEqual((await raws(id)).map(({ txid }) => ({ status: 'success', reference: txid })));
    expect(await arrived()).toEqual([19, 19]);
    expect(await moneyOf(db, (payees[0] as Payee).id)).toEqual({ available: 100_000 - 20, held: 0 });
    expect(await violations()).toEqual([]);
  });

  test.each([
    ['a changed file', 'y\n', /another hash/, (text: string) => text.replace('19000000', '19000001')],
    ['an answer other than y', 'yes\n', /nothing is signed/, (text: string) => text],
  ])('the signer signs nothing for %s', async (_what, answer, refusal, change) => {
    const { id } = await desk.agreed(...payees);
    const file = join(folder, `batch-${id}.json`);
    writeFileSync(file, change(JSON.stringify(await desk.fileOf(id))));
    const signer = spawn(process.execPath, ['scripts/payout-sign.ts', file], { stdio: 'pipe' });
    const said: string[] = [];
    signer.stderr.on('data', (data) => said.push(String(data)));
    // The key comes by the input here.
    signer.stdin.end(`${HOT_KEY}\n${answer}`);
    expect((await once(signer, 'exit'))[0]).toBe(2);
    expect(said.join('')).toMatch(refusal);
    expect(() => readFileSync(join(folder, `batch-${id}.signed.json`))).toThrow('ENOENT');
    await finish(id);
  });
});

/** Pays a batch that a test has left open, so that the next nonces can confirm. */
async function finish(id: string): Promise<void> {
  await desk.sign(id);
  await rounds();
  await blocks(6);
}

describe('a payout is made once', () => {
  test('when its block is replaced', async () => {
    const { id, withdrawals } = await desk.agreed(...payees);
    await desk.sign(id);
    await rounds();
    await blocks(1);
    const before = await payoutOf(withdrawals[0] as string);
    expect(before.txid).not.toBeNull();
    await anvil.reorg(1);
    await rounds();
    expect(await stateOf(withdrawals[0] as string)).toBe('sent');
    await blocks(7);
    expect(await stateOf(withdrawals[0] as string)).toBe('paid');
    expect(await arrived()).toEqual([19, 19]);
  });

  test('by a replacement or by what it replaces, whichever a block has', async () => {
    const { id, withdrawals } = await desk.agreed(...payees);
    await desk.sign(id);
    const old = await raws(id);
    const next = await desk.replace(id, 'faster');
    expect(await desk.sign(next)).toBe('taken');
    // A stranger sends the old transactions first; the new ones are too late.
    const wallet = new EvmSource(settings());
    for (const { raw } of old) await wallet.send(raw);
    await blocks(1);
    expect((await payoutOf(withdrawals[0] as string)).txid).toBe(old[0]?.txid);
    await blocks(6);
    expect(await stateOf(withdrawals[1] as string)).toBe('paid');
    expect(await arrived()).toEqual([19, 19]);
    for (const { raw } of await raws(next)) await expect(wallet.send(raw)).rejects.toThrow();
  });

  test('or never, by a batch that cancels it; then two people give it back, and it is paid in another', async () => {
    const { id, withdrawals } = await desk.agreed(...payees);
    await desk.sign(id);
    const old = await raws(id);
    const next = await desk.replace(id, 'cancel');
    await desk.sign(next);
    await rounds();
    await blocks(7);
    expect(await payoutOf(withdrawals[0] as string)).toMatchObject({ state: 'failed', reason: 'cancelled' });
    expect(await arrived()).toEqual([0, 0]);
    for (const { raw } of old) await expect(new EvmSource(settings()).send(raw)).rejects.toThrow();
    // A new batch leaves it out until it is given back.
    expect((await desk.prepare()).data).toEqual({ id: null, leftOut: [] });
    for (const withdrawal of withdrawals) {
      const proposal = await ask(db, 'payout_end_propose', [
        cashier.staffId,
        withdrawal,
        false,
        null,
        'cancelled',
      ]);
      expect(await ask(db, 'proposal_approve', [approver.staffId, ['payout_end'], proposal])).toBe('done');
    }
    const { data } = await desk.prepare();
    expect((await desk.decide(data.id)).data).toEqual({ status: 'done' });
    await finish(data.id);
    expect(await stateOf(withdrawals[0] as string)).toBe('paid');
    expect(await arrived()).toEqual([19, 19]);
    expect(await violations()).toEqual([]);
  });

  test('and one that the chain undid is failed and kept for staff', async () => {
    const { id, withdrawals } = await desk.agreed(...payees);
    // The address has no token left.
    const rest = await anvil.balanceOf(HOT.address);
    const { batch } = await desk.fileOf(id);
    expect(batch.outputs).toHaveLength(2);
    await desk.sign(id);
    await anvil.take(HOT.address);
    await rounds();
    await blocks(7);
    expect(await payoutOf(withdrawals[0] as string)).toMatchObject({ state: 'failed', reason: 'reverted' });
    expect(await statusOf(db, 'withdrawal', withdrawals[0] as string)).toBe('sending');
    expect(await arrived()).toEqual([0, 0]);
    await anvil.pay(HOT.address, rest);
    await anvil.mine();
    const paid = [cashier.staffId, withdrawals[0], false, null, 'the chain undid it'];
    const proposal = await ask(db, 'payout_end_propose', paid);
    expect(await ask(db, 'proposal_approve', [approver.staffId, ['payout_end'], proposal])).toBe('done');
    expect(await statusOf(db, 'withdrawal', withdrawals[0] as string)).toBe('approved');
    await ask(db, 'withdrawal_refuse', [cashier.staffId, withdrawals[0], 'security', null]);
  });

  test('when something else has used its nonce it is failed; the audit finds the transaction without a batch', async () => {
    const { id, withdrawals } = await desk.agreed(payees[0] as Payee);
    const { batch } = await desk.fileOf(id);
    const [output] = batch.outputs;
    const foreign = evmTransaction({ ...batch, cancels: true, gas: '50000' }, output!);
    await new EvmSource(settings()).send(await HOT.signTransaction(foreign));
    expect(await desk.sign(id)).toBe('taken');
    await blocks(9);
    expect(await payoutOf(withdrawals[0] as string)).toMatchObject({ state: 'failed', reason: 'lost' });
    expect(await arrived()).toEqual([0, 0]);
    expect(await violations()).toHaveLength(1);
    const proposal = await ask(db, 'payout_end_propose', [
      cashier.staffId,
      withdrawals[0],
      false,
      null,
      'lost',
    ]);
    await ask(db, 'proposal_approve', [approver.staffId, ['payout_end'], proposal]);
    await ask(db, 'withdrawal_refuse', [cashier.staffId, withdrawals[0], 'security', null]);
  });
});

test('what an address has signed is followed to its end after the house has named another one', async () => {
  const { id, withdrawals } = await desk.agreed(...payees);
  await desk.sign(id);
  const changed = settings();
  const next = senderWith(db.chain, {
    ...changed,
    own: [{ address: OTHER.address, signature: '0x' }],
    payouts: { ...changed.payouts, address: OTHER.address.toLowerCase() },
  });
  for (let block = 0; block < 8; block += 1) {
    await next.round();
    await anvil.mine();
    await watcher.round();
  }
  expect(await stateOf(withdrawals[1] as string)).toBe('paid');
  expect(await arrived()).toEqual([19, 19]);
  const { rows } = await db.server.query(
    'select address from payout_accounts order by named_at desc limit 1',
  );
  expect(rows).toEqual([{ address: OTHER.address.toLowerCase() }]);
});

describe('killed', () => {
  test('at any statement of a round, before it or after it, the next round goes on', async () => {
    const fragile = new FragilePool(db.chain);
    const broken = senderWith(fragile.pool);
    let reached = 0;
    for (let statement = 1; ; statement += 1) {
      for (const mishap of ['before', 'after'] as const) {
        const [payee] = payees as [Payee];
        const { id, withdrawals } = await desk.agreed(payee);
        await desk.sign(id);
        const had = (await arrived())[0] as number;
        for (let step = 0; step < 7; step += 1) {
          fragile.plan(statement, mishap);
          await broken.round().catch(() => {});
          if (!fragile.isPlanned) reached = statement;
          fragile.calm();
          await anvil.mine();
          await watcher.round();
        }
        await blocks(7);
        expect([statement, mishap, await stateOf(withdrawals[0] as string)]).toEqual([
          statement,
          mishap,
          'paid',
        ]);
        expect((await arrived())[0]).toBe(had + 19);
      }
      await letADayPass(db);
      if (statement > reached) break;
    }
    expect(reached).toBeGreaterThan(3);
  }, 240_000);

  test.each(['before', 'after'])(
    '%s the node takes the bytes, the next round sends the same',
    async (when) => {
      const { id, withdrawals } = await desk.agreed(...payees);
      await desk.sign(id);
      const sent: string[] = [];
      provider.behave(async (method, params, truth) => {
        if (method !== 'eth_sendRawTransaction') return null;
        sent.push(params[0]);
        if (when === 'after') await truth();
        return { isCut: true };
      });
      await sender.round();
      provider.behave(null);
      await rounds();
      await blocks(6);
      expect(await stateOf(withdrawals[1] as string)).toBe('paid');
      expect(await arrived()).toEqual([19, 19]);
      const stored = (await raws(id)).map(({ raw }) => raw);
      for (const raw of sent) expect(stored).toContain(raw);
    },
  );

  test('two senders at once pay once', async () => {
    const { id, withdrawals } = await desk.agreed(...payees);
    await desk.sign(id);
    const second = senderWith();
    for (let block = 0; block < 7; block += 1) {
      await Promise.all([sender.round(), second.round()]);
      await anvil.mine();
      await watcher.round();
    }
    await rounds();
    expect(await stateOf(withdrawals[0] as string)).toBe('paid');
    expect(await arrived()).toEqual([19, 19]);
  });
});

test('bytes that are not what was approved are not sent, whoever has stored them', async () => {
  const { id, withdrawals } = await desk.agreed(payees[0] as Payee);
  const { batch, hash } = await desk.fileOf(id);
  const more = { ...batch, outputs: batch.outputs.map((one) => ({ ...one, value: usdt(50).toString() })) };
  const { signed } = JSON.parse(await signedFile({ batch: more, hash }));
  await ask(db, 'payout_sign', [cashier.staffId, id, Buffer.from(hash, 'hex'), ['0xother'], signed]);
  await rounds();
  await blocks(3);
  expect(await stateOf(withdrawals[0] as string)).toBe('sending');
  expect(await arrived()).toEqual([0, 0]);
});
