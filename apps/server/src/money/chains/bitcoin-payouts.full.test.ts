import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CoreCoins } from '@fairtick/kit/chains/core-coins.ts';
import { FakeChain } from '@fairtick/kit/chains/fake-chain.ts';
import { coreSettings, fakeCore } from '@fairtick/kit/chains/fake-core.ts';
import { HOT_KEY, PayoutDesk } from '@fairtick/kit/chains/paying.ts';
import { watcherOf } from '@fairtick/kit/chains/watching.ts';
import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { WITHDRAWAL_PASSWORD, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { startOffice } from '@fairtick/kit/clients/office-client.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { auditedDatabase, ownStaff, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { approveRequest, ask, contentOf, credit, letADayPass, statusOf } from '@fairtick/kit/people/money.ts';
import { type BitcoinBatch, bitcoinTransaction } from '@fairtick/protocol/payout-file';
import { base64, hex } from '@scure/base';
import { p2wpkh } from '@scure/btc-signer';
import { pino } from 'pino';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { PayingBitcoin } from '../../config/chains-file.ts';
import { MONEY_CHECKS } from '../../transparency/audit/audit-money-checks.ts';
import { BitcoinPayoutNode } from './bitcoin-payout-node.ts';
import type { ChainWatcher } from './chain-watcher.ts';
import { PayoutSender } from './payout-sender.ts';

/** Payouts on Bitcoin, with a fake of Core's calls: one transaction pays a batch, once or not at all. */
const BTC = 4;
const addressOf = (key: string): string => {
  const point = hex.decode(privateKeyToAccount(`0x${key}`).publicKey.slice(2));
  return p2wpkh(Uint8Array.of((point.at(-1) as number) % 2 === 0 ? 2 : 3, ...point.slice(1, 33)))
    .address as string;
};
const [SECRET, OTHER] = [HOT_KEY.slice(2), '44'.repeat(32)];
const hot = addressOf(SECRET);
const chain = new FakeChain();
const coins = new CoreCoins(() => chain, hot);
const core = fakeCore(() => chain, coins);
const settings = (): PayingBitcoin => ({
  ...coreSettings(core, { finalAfter: 3 }),
  payouts: { address: hot, feeRate: 5, mostFeeRate: 10 },
});
const db = auditedDatabase();
const folder = temporaryFolder('bitcoin-payouts');
const office = forFile(() => startOffice(db, { chains: [settings()] }));
const cashier = ownStaff(db, office, 'cashier');
const approver = ownStaff(db, office, 'approver');
const desk = forFile(() => new PayoutDesk({ db, cashier, approver, chain: 'bitcoin' }));
let watcher: ChainWatcher;
let sender: PayoutSender;
let last = 100;

beforeAll(async () => {
  const node = new BitcoinPayoutNode(settings());
  watcher = await watcherOf(db, settings(), node);
  const log = pino({ level: 'silent' });
  sender = new PayoutSender({ chain: settings(), db: db.chain, node, second: null, log });
  await coins.mine(4);
  await rounds();
  for (let coin = 0; coin < 12; coin += 1) coins.fund(10_000_000n);
  await coins.mine(3);
});
afterEach(() => letADayPass(db));

async function rounds(): Promise<void> {
  await watcher.round();
  await sender.round();
}
async function blocks(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    await coins.mine();
    await rounds();
  }
}

/** An approved withdrawal of a new customer, to an address of theirs. */
async function approved(): Promise<{ id: string; to: string }> {
  last += 1;
  const to = addressOf(last.toString(16).padStart(64, '5'));
  const customer = await register(office.origin);
  const { token, id: customerId } = customer;
  await dataOf(post(office.origin, 'user/setPayWord', { payWord: WITHDRAWAL_PASSWORD }, { token }));
  await dataOf(post(office.origin, 'user/setAddress', { BTC: to }, { token }));
  for (const table of ['withdrawal_passwords', 'crypto_addresses'])
    await db.owner.query(
      `update ${table} set changed_at = now() - interval '1 year' where customer_id = $1`,
      [customerId],
    );
  await db.owner.query(`update customers set real_status = 'verified' where id = $1`, [customerId]);
  await credit(db, customerId, 100_000_000n, BTC);
  const { destinations } = await dataOf(get(office.origin, 'withdraw/options', {}, { token }));
  const payee = { ...customer, destination: destinations[0].id };
  const { id } = await dataOf(withdraw(office.origin, payee, '0.01', { asset: 'BTC' }));
  await ask(db, 'withdrawal_propose', [cashier.staffId, id, '']);
  const seen = [approver.staffId, id, await contentOf(db, 'withdrawal', id)] as const;
  expect(await approveRequest(db, 'withdrawal', seen)).toBe('approved');
  return { id, to };
}

async function agreed(count = 2) {
  const payments = [];
  for (let payment = 0; payment < count; payment += 1) payments.push(await approved());
  const { data } = await desk.prepare();
  expect((await desk.decide(data.id)).data).toEqual({ status: 'done' });
  return { id: data.id as string, payments };
}
const fileOf = async (id: string): Promise<{ batch: BitcoinBatch; hash: string; psbt: string }> =>
  (await cashier.get('payout/file', { id })).body;
const signedBy = (batch: BitcoinBatch, secret = SECRET): string => {
  const transaction = bitcoinTransaction(batch);
  for (let input = 0; input < transaction.inputsLength; input += 1)
    transaction.updateInput(input, {
      witnessUtxo: {
        script: p2wpkh(hex.decode(keyOf(secret))).script,
        amount: BigInt(batch.inputs[input]?.value ?? 0),
      },
    });
  transaction.sign(hex.decode(secret));
  transaction.finalize();
  return transaction.hex;
};
const keyOf = (secret: string): string => {
  const point = privateKeyToAccount(`0x${secret}`).publicKey.slice(2);
  return `${Number.parseInt(point.slice(-1), 16) % 2 === 0 ? '02' : '03'}${point.slice(2, 66)}`;
};
const upload = async (id: string, signed: string, hash?: string): Promise<string> =>
  desk.sign(id, JSON.stringify({ hash: hash ?? (await fileOf(id)).hash, signed: [signed] }));
const statesOf = async (id: string) =>
  (
    await db.server.query(
      `select p.state, p.reason from payout_batches b join payouts p on p.address = b.content ->> 'from'
       where b.id = $1 order by p.nonce`,
      [id],
    )
  ).rows.map(({ state, reason }) => reason ?? state);
const violations = async () => {
  const found: string[] = [];
  for (const { name, sql } of MONEY_CHECKS)
    for (const { detail } of (await db.owner.query(sql)).rows) found.push(`${name}: ${detail}`);
  return found.filter((one) => one.includes('payout') || one.includes('nonce'));
};

test('a batch is one transaction, signed by the signer’s program, sent, and paid at finality to the satoshi', async () => {
  const { id, payments } = await agreed();
  const shown = (await approver.get('payout/detail', { id })).body.data;
  expect(shown).toMatchObject({ from: hot, mostFee: '0.0000104', change: '0.0801896' });
  expect(shown.outputs).toMatchObject(payments.map(({ to }) => ({ to, amount: '0.0099', contract: '' })));
  const [file, key] = [join(folder, 'batch.json'), join(folder, 'key')];
  writeFileSync(file, JSON.stringify(await fileOf(id)));
  writeFileSync(key, HOT_KEY);
  const signer = spawn(process.execPath, ['scripts/payout-sign.ts', file, '--key', key], { stdio: 'pipe' });
  const said: string[] = [];
  for (const stream of [signer.stdout, signer.stderr]) stream.on('data', (data) => said.push(String(data)));
  signer.stdin.end('y\n');
  expect([(await once(signer, 'exit'))[0], said.join('')]).toEqual([
    0,
    expect.stringContaining(`returns to ${hot}`),
  ]);
  expect(said.join('')).toContain(`1. Pay 0.0099 BTC on Bitcoin to ${payments[0]?.to}`);
  expect(await desk.sign(id, readFileSync(join(folder, 'batch.signed.json'), 'utf8'))).toBe('taken');
  await rounds();
  expect(await statesOf(id)).toEqual(['sent', 'sent']);
  await blocks(2);
  expect(await statesOf(id)).toEqual(['confirmed', 'confirmed']);
  await blocks(1);
  expect(await statesOf(id)).toEqual(['paid', 'paid']);
  for (const [place, { id: withdrawal, to }] of payments.entries()) {
    expect(await statusOf(db, 'withdrawal', withdrawal)).toBe('success');
    expect(coins.balanceOf(to)).toBe(990_000n);
    const { rows } = await db.server.query('select reference from withdrawal_requests where id = $1', [
      withdrawal,
    ]);
    expect(rows[0].reference).toMatch(new RegExp(`^[0-9a-f]{64}:${place}$`));
  }
  expect(await violations()).toEqual([]);
});

describe('a signed file is refused', () => {
  const output = (changes: object) => (batch: BitcoinBatch) => ({
    ...batch,
    outputs: batch.outputs.map((one, place) => (place === 1 ? { ...one, ...changes } : one)),
  });
  test('unless its outputs are the approved ones to the satoshi; a PSBT of the same is taken', async () => {
    const { id } = await agreed();
    const { batch, psbt, hash } = await fileOf(id);
    for (const [changed, part] of [
      [output({ value: '990001' })(batch), 'outputs'],
      [output({ value: '989999' })(batch), 'outputs'],
      [output({ to: addressOf(OTHER) })(batch), 'outputs'],
      [{ ...batch, change: addressOf(OTHER) }, 'outputs'],
      [{ ...batch, maxFee: `${batch.maxFee}0` }, 'outputs'],
      [{ ...batch, outputs: batch.outputs.slice(1) }, 'outputs'],
      [{ ...batch, outputs: [...batch.outputs, batch.outputs[0]!] }, 'outputs'],
      [{ ...batch, outputs: batch.outputs.toReversed() }, 'outputs'],
      [{ ...batch, cancels: true }, 'outputs'],
      [{ ...batch, inputs: [{ ...batch.inputs[0]!, place: '7' }] }, 'inputs'],
    ] as [BitcoinBatch, string][])
      expect(await upload(id, signedBy(changed))).toMatch(new RegExp(`^PAYOUT_FILE_DIFFERS .*${part}$`));
    expect(await upload(id, signedBy(batch, OTHER))).toMatch(/DIFFERS .* signer$/);
    // A signature over other amounts than those of the inputs.
    const lied = {
      ...batch,
      inputs: batch.inputs.map((one) => ({ ...one, value: '20000000' })),
      maxFee: '10001040',
    };
    expect(await upload(id, signedBy(lied))).toMatch(/DIFFERS .* signer$/);
    expect(await upload(id, hex.encode(bitcoinTransaction(batch).unsignedTx))).toMatch(/DIFFERS .* signer$/);
    expect(await upload(id, psbt)).toMatch(/DIFFERS .* form$/);
    expect(await upload(id, signedBy(batch), 'ab'.repeat(32))).toMatch(/DIFFERS .* batch$/);
    expect(await statesOf(id)).toEqual(['prepared', 'prepared']);
    const whole = bitcoinTransaction(batch);
    whole.sign(hex.decode(SECRET));
    expect(await upload(id, base64.encode(whole.toPSBT()), hash)).toBe('taken');
    await rounds();
    await blocks(3);
    expect(await statesOf(id)).toEqual(['paid', 'paid']);
  });
});

describe('a replacement', () => {
  test('spends the same input with a higher fee, and one of both is paid', async () => {
    const { id, payments } = await agreed();
    const { batch } = await fileOf(id);
    const old = signedBy(batch);
    expect(await upload(id, old)).toBe('taken');
    await rounds();
    const next = await desk.replace(id, 'faster');
    const { batch: faster } = await fileOf(next);
    expect(faster).toMatchObject({
      from: batch.from,
      inputs: batch.inputs,
      outputs: batch.outputs,
      maxFee: '1300',
    });
    expect(await upload(next, signedBy(faster))).toBe('taken');
    await rounds();
    await blocks(3);
    expect(await statesOf(id)).toEqual(['paid', 'paid']);
    expect(payments.map(({ to }) => coins.balanceOf(to))).toEqual([990_000n, 990_000n]);
    await expect(new BitcoinPayoutNode(settings()).send(old)).rejects.toThrow('refused');
    expect(await violations()).toEqual([]);
  });

  test('cancels it; what is left is the house’s, and its customers are paid in another', async () => {
    const { id, payments } = await agreed(1);
    await upload(id, signedBy((await fileOf(id)).batch));
    const next = await desk.replace(id, 'cancel');
    await upload(next, signedBy((await fileOf(next)).batch));
    await rounds();
    await blocks(3);
    expect(await statesOf(id)).toEqual(['cancelled']);
    const [{ id: withdrawal, to }] = payments as [{ id: string; to: string }];
    expect(coins.balanceOf(to)).toBe(0n);
    const proposal = await ask(db, 'payout_end_propose', [
      cashier.staffId,
      withdrawal,
      false,
      null,
      'cancelled',
    ]);
    expect(await ask(db, 'proposal_approve', [approver.staffId, ['payout_end'], proposal])).toBe('done');
    const { data } = await desk.prepare();
    await desk.decide(data.id);
    expect(await upload(data.id, signedBy((await fileOf(data.id)).batch))).toBe('taken');
    await rounds();
    await blocks(3);
    expect(coins.balanceOf(to)).toBe(990_000n);
    expect(await violations()).toEqual([]);
  });

  test('costs no more than the operator’s bound', async () => {
    let { id } = await agreed(1);
    for (const fee of ['1032', '1290', '1613']) {
      id = await desk.replace(id, 'faster');
      expect((await fileOf(id)).batch.maxFee).toBe(fee);
    }
    const { body } = await cashier.post('payout/replace', { id, how: 'faster' });
    expect(body.error).toBe('PAYOUT_FEE_BOUND');
    await upload(id, signedBy((await fileOf(id)).batch));
    await rounds();
    await blocks(3);
    expect(await statesOf(id)).toEqual(['paid']);
  });
});

test('a block that is replaced takes the payment back, which is sent again', async () => {
  const { id } = await agreed(1);
  await upload(id, signedBy((await fileOf(id)).batch));
  await rounds();
  await blocks(1);
  await chain.reorg(1);
  await rounds();
  expect(await statesOf(id)).toEqual(['sent']);
  await blocks(4);
  expect(await statesOf(id)).toEqual(['paid']);
});

test('an input that something else has spent fails the payout, and the audit finds it', async () => {
  const { id } = await agreed(1);
  const { batch } = await fileOf(id);
  const foreign = signedBy({ ...batch, cancels: true, maxFee: '9999' });
  await new BitcoinPayoutNode(settings()).send(foreign);
  expect(await upload(id, signedBy(batch))).toBe('taken');
  await blocks(8);
  expect(await statesOf(id)).toEqual(['lost']);
  expect(await violations()).toHaveLength(1);
});

test('what the coins do not cover is left out with the reason', async () => {
  core.behave(async (method, _params, truth) =>
    method === 'listunspent' ? { result: [{ ...(await truth())[0], amount: '0.02500000' }] } : null,
  );
  const [first, second, third] = [await approved(), await approved(), await approved()];
  const { data } = await desk.prepare();
  expect(data.leftOut).toMatchObject([{ id: third.id, reason: 'PAYOUT_NO_COINS' }]);
  const { outputs } = (await approver.get('payout/detail', { id: data.id })).body.data;
  expect(outputs.map((one: { withdrawal: string }) => one.withdrawal)).toEqual([first.id, second.id]);
  core.behave(async () => ({ isCut: true }));
  expect((await desk.prepare()).error).toBe('PAYOUT_NO_NODE');
  core.behave(null);
});

test('a batch whose key is lost is written off with its address; bytes that surface later are named by the audit', async () => {
  const { rows: open } = await db.server.query(
    `select id from withdrawal_requests where status = 'approved'`,
  );
  for (const { id } of open) await ask(db, 'withdrawal_refuse', [cashier.staffId, id, 'security', null]);
  const { id, payments } = await agreed(1);
  const signed = signedBy((await fileOf(id)).batch);
  await rounds();
  const withdrawal = payments[0]?.id as string;
  const ended = () =>
    ask(db, 'payout_end_propose', [cashier.staffId, withdrawal, false, null, 'the key is lost']);
  expect(await ended()).toBe('PAYOUT_ON_CHAIN');
  await db.chain.query(`select payout_account_look('bitcoin', 'bc1qnext', 0)`);
  await db.owner.query(
    `update payout_accounts set named_at = named_at - interval '25 hours' where address <> 'bc1qnext'`,
  );
  expect(await ask(db, 'proposal_approve', [approver.staffId, ['payout_end'], await ended()])).toBe('done');
  expect(await statesOf(id)).toEqual(['unsigned']);
  expect(await upload(id, signed)).toMatch(/^REQUEST_CLOSED/);
  expect((await desk.prepare()).error).toBe('PAYOUT_NO_NODE');
  const before = await violations();
  await new BitcoinPayoutNode(settings()).send(signed);
  await blocks(8);
  expect(await violations()).toHaveLength(before.length + 1);
});
