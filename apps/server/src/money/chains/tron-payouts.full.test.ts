import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lie } from '@fairtick/kit/chains/false-node.ts';
import { addressOf, addressPayee, HOT_KEY, OTHER } from '@fairtick/kit/chains/paying.ts';
import { payingOnTron, SHORT, TRON_HOT } from '@fairtick/kit/chains/paying-on-tron.ts';
import { tronAddress } from '@fairtick/kit/chains/tron-payments.ts';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { ask, moneyOf, statusOf, usdt } from '@fairtick/kit/people/money.ts';
import { type TronBatch, tronTransaction } from '@fairtick/protocol/payout-file';
import { describe, expect, test } from 'vitest';
import { TronPayoutNode } from './tron-payout-node.ts';

/**
 * Payouts on TRON, with a fake of its nodes' calls. Two transactions of one withdrawal can't both be paid, because the second exists
 * only after the first has expired on the chain.
 */
const tron = payingOnTron();
const { payments, node, second, payouts, settings, db, cashier, approver, desk, office } = tron;
const { agreed, fileOf, signed, upload, statesOf, arrived, isExpired, violations } = tron;
const { rounds, blocks, watch, expire, pass, given } = tron;
const folder = temporaryFolder('tron-payouts');

test('a transaction is encoded as TronWeb 6.5.1 encodes it', () => {
  const batch: TronBatch = {
    ...{ kind: 'tron', note: '', chain: 'tron', network: 'TRC20', from: TRON_HOT, tip: '0', replaces: '' },
    ...{ timestamp: '1796000000000', expiration: '1796043200000', maxFee: '50000000', cancels: false },
    block: `0000000003f2b1c4${'a1b2c3d4e5f60718'.repeat(3)}`,
    outputs: [
      {
        ...{ nonce: '0', withdrawal: '1000', asset: 'USDT', decimals: '6', value: '19000000' },
        to: 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
        contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      },
    ],
  };
  expect(TRON_HOT).toBe('TJRabPrwbZy45sbavfcjinPJC18kjpRTv8');
  expect(tronTransaction(batch, 0).txid).toBe(
    'afca7eea553a14bc243f5a5e076da7fbe36653c5a01bef3affa4ff62149e2aab',
  );
});

test('from the office by the signer’s program to the chain: sent, confirmed, paid at finality', async () => {
  const { id, withdrawals, to, payees } = await agreed();
  const shown = (await approver.get('payout/detail', { id })).body.data;
  expect(shown).toMatchObject({ from: TRON_HOT, mostFee: '100', change: null, isExpired: false });
  expect(shown.expiresAt).toBe(Number((await fileOf(id)).batch.expiration));
  expect(shown.outputs).toMatchObject(to.map((one) => ({ to: one, amount: '19', asset: 'USDT' })));
  const [file, key] = [join(folder, 'batch.json'), join(folder, 'key')];
  writeFileSync(file, JSON.stringify(await fileOf(id)));
  writeFileSync(key, HOT_KEY);
  const signer = spawn(process.execPath, ['scripts/payout-sign.ts', file, '--key', key], { stdio: 'pipe' });
  const said: string[] = [];
  for (const stream of [signer.stdout, signer.stderr]) stream.on('data', (data) => said.push(String(data)));
  signer.stdin.end('y\n');
  expect([(await once(signer, 'exit'))[0], said.join('')]).toEqual([
    0,
    expect.stringContaining(`1. Pay 19 USDT on TRC20 to ${to[0]}\n   for withdrawal ${withdrawals[0]}`),
  ]);
  expect(said.join('')).toContain(`after ${new Date(shown.expiresAt).toISOString()}`);
  expect(said.join('')).toContain('at most 100 of its own coin');
  expect(await desk.sign(id, readFileSync(join(folder, 'batch.signed.json'), 'utf8'))).toBe('taken');
  await rounds();
  expect(await statesOf(withdrawals)).toEqual(['sent', 'sent']);
  await blocks(2);
  expect(await statesOf(withdrawals)).toEqual(['confirmed', 'confirmed']);
  expect(await statusOf(db, 'withdrawal', withdrawals[0] as string)).toBe('sending');
  await blocks(3);
  expect(await statesOf(withdrawals)).toEqual(['paid', 'paid']);
  expect(arrived(to)).toEqual([19, 19]);
  expect(await moneyOf(db, (payees[0] as { id: string }).id)).toEqual({ available: 100_000 - 20, held: 0 });
  expect(await violations()).toEqual([]);
});

test('a signed file is refused unless it is what was approved, to the byte', async () => {
  const { id, withdrawals, to } = await agreed();
  const { batch } = await fileOf(id);
  const output = (changes: object) => ({
    ...batch,
    outputs: batch.outputs.map((one, place) => (place === 1 ? { ...one, ...changes } : one)),
  });
  const [first, ...rest] = batch.outputs as [TronBatch['outputs'][number]];
  for (const [changed, what] of [
    [output({ value: '19000001' }), '1 transaction'],
    [output({ value: '18999999' }), '1 transaction'],
    [output({ to: tronAddress(OTHER.address) }), '1 transaction'],
    [output({ contract: tronAddress(OTHER.address) }), '1 transaction'],
    [{ ...batch, maxFee: `${batch.maxFee}0` }, '0 transaction'],
    [{ ...batch, expiration: `${Number(batch.expiration) + 1}` }, '0 transaction'],
    [{ ...batch, block: batch.block.replace(/^.{16}.{4}/, '0000000000000001beef') }, '0 transaction'],
    [{ ...batch, outputs: [first, ...rest, first] }, 'outputs'],
    [{ ...batch, outputs: rest }, 'outputs'],
    [{ ...batch, outputs: batch.outputs.toReversed() }, '0 transaction'],
  ] as [TronBatch, string][]) {
    const numbered = Number(batch.outputs[0]?.nonce);
    const part = what.replace(/^\d/, (place) => String(numbered + Number(place)));
    expect(await upload(id, await signed(changed))).toMatch(new RegExp(`^PAYOUT_FILE_DIFFERS .*${part}$`));
  }
  const right = await signed(batch);
  expect(await upload(id, await signed(batch, OTHER))).toMatch(/DIFFERS .* signer$/);
  expect(
    await upload(
      id,
      right.map((raw) => `${raw}00`),
    ),
  ).toMatch(/DIFFERS .* transaction$/);
  expect(await upload(id, right, 'ab'.repeat(32))).toMatch(/DIFFERS .* batch$/);
  expect(await statesOf(withdrawals)).toEqual(['prepared', 'prepared']);
  // Two people upload at once what the key has signed twice.
  expect(await Promise.all([upload(id, right), upload(id, right)])).toEqual(['taken', 'taken']);
  await blocks(6);
  expect(arrived(to)).toEqual([19, 19]);
  expect(await violations()).toEqual([]);
});

describe('a batch that may still confirm', () => {
  test('is not replaced, cancelled or given back', async () => {
    const { id, withdrawals } = await agreed(1);
    await upload(id);
    await rounds();
    const refused = async (how: string) => (await cashier.post('payout/replace', { id, how })).body.error;
    expect(await refused('faster')).toBe('PAYOUT_NOT_EXPIRED');
    expect(await refused('cancel')).toBe('INVALID_VALUE');
    expect(await given(withdrawals[0] as string)).toBe('PAYOUT_ON_CHAIN');
    const { batch } = await fileOf(id);
    const txids = [tronTransaction(batch, 0).txid];
    await expect(db.chain.query('select payout_expire($1, 1, $2)', [id, txids])).rejects.toThrow(
      'has not expired',
    );
    await blocks(5);
    expect(await statesOf(withdrawals)).toEqual(['paid']);
  });

  test('expires only when a final block is later, both nodes have it, and none has a transaction of it', async () => {
    payouts.minutes = SHORT;
    payments.isStuck = true;
    const { id, withdrawals } = await agreed(1);
    await upload(id);
    await blocks(6);
    expect(await isExpired(id)).toBe(false);
    await pass(id);
    // Later, and not final.
    await blocks(3);
    expect(await isExpired(id)).toBe(false);
    for (let block = 0; block < 3; block += 1) {
      await payments.mine();
      await watch();
    }
    const { batch } = await fileOf(id);
    const { txid } = tronTransaction(batch, 0);
    const block = { id: txid, blockNumber: 3, receipt: { result: 'SUCCESS' } };
    for (const liar of [node, second]) {
      // The node is behind, follows another chain, or has the transaction.
      for (const lie of [
        async (method) => (method === 'getblock' ? { result: {} } : null),
        async (method, _params, truth) => {
          if (method !== 'getblock') return null;
          const found = await truth();
          return { result: { ...found, blockID: `${found.blockID.slice(0, 16)}${'ab'.repeat(24)}` } };
        },
        async (method) => (method === 'gettransactioninfobyid' ? { result: block } : null),
      ] as Lie[]) {
        liar.behave(lie);
        await expire();
        expect(await isExpired(id)).toBe(false);
      }
      liar.behave(null);
    }
    await expire();
    expect(await isExpired(id)).toBe(true);
    expect(await statesOf(withdrawals)).toEqual(['sent']);
  });
});

describe('a batch that has expired', () => {
  test('is replaced by one that is paid; the old one is taken neither by the office nor by the chain', async () => {
    payouts.minutes = SHORT;
    payments.isStuck = true;
    const { id, withdrawals, to } = await agreed();
    const old = await fileOf(id);
    await upload(id);
    await rounds();
    await pass(id);
    await blocks(6);
    payments.isStuck = false;
    payouts.minutes = 60;
    const next = await desk.replace(id, 'faster');
    const { batch } = await fileOf(next);
    expect(batch.outputs).toEqual(old.batch.outputs);
    expect(Number(batch.expiration)).toBeGreaterThan(Number(old.batch.expiration));
    const bytes = await signed(old.batch);
    expect(await upload(next, bytes, old.hash)).toMatch(/DIFFERS .* batch$/);
    expect(await upload(next, bytes)).toMatch(/DIFFERS .* transaction$/);
    expect((await cashier.post('payout/replace', { id, how: 'faster' })).body.error).toBe('PAYOUT_REPLACED');
    expect(await upload(next)).toBe('taken');
    await blocks(6);
    expect(await statesOf(withdrawals)).toEqual(['paid', 'paid']);
    expect(arrived(to)).toEqual([19, 19]);
    for (const raw of bytes)
      await expect(new TronPayoutNode(settings()).send(raw)).rejects.toThrow('EXPIRATION');
    expect(await violations()).toEqual([]);
  });

  test('whose key is lost is given back by two people, and paid in another batch', async () => {
    payouts.minutes = SHORT;
    const { id, withdrawals, to } = await agreed(1);
    expect(await given(withdrawals[0] as string)).toBe('PAYOUT_ON_CHAIN');
    const bytes = await signed((await fileOf(id)).batch);
    await pass(id);
    await blocks(6);
    expect(await isExpired(id)).toBe(true);
    expect(await upload(id, bytes)).toMatch(/^REQUEST_CLOSED/);
    expect(await given(withdrawals[0] as string)).toBe('done');
    expect(await statesOf(withdrawals)).toEqual(['expired']);
    expect(await statusOf(db, 'withdrawal', withdrawals[0] as string)).toBe('approved');
    payouts.minutes = 60;
    await payments.mine();
    const { data } = await desk.prepare();
    await desk.decide(data.id);
    expect(await upload(data.id)).toBe('taken');
    await blocks(6);
    expect(arrived(to)).toEqual([19]);
    expect(await violations()).toEqual([]);
  });

  test('but was sent without the office is followed to its end, and not replaced', async () => {
    payouts.minutes = SHORT;
    const { id, withdrawals, to } = await agreed(1);
    const [raw = ''] = await signed((await fileOf(id)).batch);
    await new TronPayoutNode(settings()).send(raw);
    await pass(id);
    await blocks(8);
    expect(await isExpired(id)).toBe(false);
    expect(await violations()).toEqual([expect.stringContaining('pays nothing that a batch has')]);
    expect((await cashier.post('payout/replace', { id, how: 'faster' })).body.error).toBe(
      'PAYOUT_NOT_EXPIRED',
    );
    expect(await upload(id)).toBe('taken');
    await blocks(1);
    expect(await statesOf(withdrawals)).toEqual(['paid']);
    expect(arrived(to)).toEqual([19]);
    expect(await violations()).toEqual([]);
  });
});

test('a transfer that the chain undoes, or that logs nothing, fails and waits for staff', async () => {
  const { id, withdrawals, to } = await agreed();
  const rest = payments.balanceOf(TRON_HOT);
  payments.fund(TRON_HOT, usdt(19) - rest);
  await upload(id);
  await rounds();
  await payments.mine();
  const silent: Lie = async (method, _params, truth) =>
    method === 'gettransactioninfobyid' ? { result: { ...(await truth()), log: [] } } : null;
  node.behave(silent);
  await blocks(4);
  // The second node has the transfer of the first payment.
  expect(await statesOf(withdrawals)).toEqual(['sent', 'reverted']);
  node.behave(null);
  await blocks(1);
  expect(await statesOf(withdrawals)).toEqual(['paid', 'reverted']);
  expect(arrived(to)).toEqual([19, 0]);
  payments.fund(TRON_HOT, usdt(9_000));
  expect(await given(withdrawals[1] as string)).toBe('done');
  await ask(db, 'withdrawal_refuse', [cashier.staffId, withdrawals[1], 'security', null]);
});

test('no node, or one whose newest block is old, gives no batch a time', async () => {
  const payee = await addressPayee(office.origin, db, tronAddress(addressOf(9_000)));
  const withdrawal = await desk.withdrawal(payee);
  for (const lie of [
    async () => ({ isCut: true }),
    async (method, _params, truth) => {
      if (method !== 'getnowblock') return null;
      const { blockID, block_header } = await truth();
      const raw_data = { ...block_header.raw_data, timestamp: Date.now() - 3_600_000 };
      return { result: { blockID, block_header: { raw_data } } };
    },
  ] as Lie[]) {
    node.behave(lie);
    expect((await desk.prepare()).error).toBe('PAYOUT_NO_NODE');
  }
  node.behave(null);
  await ask(db, 'withdrawal_refuse', [cashier.staffId, withdrawal, 'security', null]);
});

test('a transaction of the paying address that no batch has is named by the audit', async () => {
  const { id } = await agreed(1);
  const { batch } = await fileOf(id);
  const [raw = ''] = await signed({ ...batch, timestamp: `${Number(batch.timestamp) + 7}` });
  await new TronPayoutNode(settings()).send(raw);
  await blocks(6);
  expect(await violations()).toEqual([expect.stringContaining('pays nothing that a batch has')]);
});
