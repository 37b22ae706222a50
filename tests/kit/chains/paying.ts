import { type EvmBatch, evmTransaction } from '@fairtick/protocol/payout-file';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { PayingEvm } from '../../../apps/server/src/config/chains-file.ts';
import { hashToken } from '../../../apps/server/src/customers/identity/passwords.ts';
import { apiPayee } from '../clients/money-api.ts';
import type { staffOf } from '../clients/office-client.ts';
import type { TestDatabase } from '../database/database.ts';
import { approveRequest, ask, contentOf, type Payee, usdt, withdrawal } from '../people/money.ts';
import { settingsOf } from './anvil.ts';

/** The key of a test's house, which a server never has. */
export const HOT_KEY: Hex = `0x${'33'.repeat(32)}`;
export const HOT = privateKeyToAccount(HOT_KEY);
export const OTHER = privateKeyToAccount(`0x${'44'.repeat(32)}`);

/** Settings of a chain from which the house pays. */
export const payingFrom = (
  anvil: { url: string; token: string },
  changes: Partial<PayingEvm> = {},
): PayingEvm => ({
  ...settingsOf(anvil),
  own: [{ address: HOT.address, signature: `0x${'00'.repeat(65)}` }],
  payouts: {
    address: HOT.address.toLowerCase(),
    gas: 100_000,
    maxFeeGwei: '20',
    tipGwei: '1',
    mostFeeGwei: '60',
  },
  ...changes,
});

/** Some address of a customer. */
export const addressOf = (number: number): string =>
  privateKeyToAccount(`0x${number.toString(16).padStart(64, '5')}`).address;

/** A customer who withdraws to an address of theirs. */
export async function addressPayee(origin: string, db: TestDatabase, to: string): Promise<Payee> {
  const { id, token } = await apiPayee(origin, db, usdt(100_000), to);
  const { rows } = await db.owner.query('select id from crypto_addresses where customer_id = $1', [id]);
  return { id, token, tokenHash: hashToken(token), address: rows[0].id, card: '' };
}

/** A withdrawal that a cashier has proposed and an approver has approved; a fee of 1 USDT is part of the amount. */
export async function approvedWithdrawal(
  db: TestDatabase,
  payee: Payee,
  by: { readonly cashier: string; readonly approver: string },
  amount = usdt(20),
): Promise<string> {
  const id = await withdrawal(db, payee, amount);
  await ask(db, 'withdrawal_propose', [by.cashier, id, '']);
  const seen = [by.approver, id, await contentOf(db, 'withdrawal', id)] as const;
  const status = await approveRequest(db, 'withdrawal', seen);
  if (status !== 'approved') throw new Error(String(status));
  return id;
}

/** What the signer's program writes for a batch, or for one that is not what was approved. */
export async function signedFile(
  { batch, hash }: { batch: EvmBatch; hash: string },
  account = HOT,
): Promise<string> {
  const signed: Hex[] = [];
  for (const output of batch.outputs)
    signed.push(await account.signTransaction(evmTransaction(batch, output)));
  return JSON.stringify({ hash, signed });
}

type Clerk = Awaited<ReturnType<typeof staffOf>>;

/** The two people of the office who pay. */
export class PayoutDesk {
  readonly #db: TestDatabase;
  readonly cashier: Clerk;
  readonly approver: Clerk;
  readonly chain: string;

  constructor(parts: { db: TestDatabase; cashier: Clerk; approver: Clerk; chain?: string }) {
    this.#db = parts.db;
    this.cashier = parts.cashier;
    this.approver = parts.approver;
    this.chain = parts.chain ?? 'ethereum';
  }

  withdrawal(payee: Payee, amount = usdt(20)): Promise<string> {
    const by = { cashier: this.cashier.staffId, approver: this.approver.staffId };
    return approvedWithdrawal(this.#db, payee, by, amount);
  }

  /** The body of the answer. */
  async prepare() {
    return (await this.cashier.post('payout/prepare', { chain: this.chain })).body;
  }

  async decide(id: string, verdict = 'agree', who = this.approver) {
    const { rows } = await this.#db.owner.query(
      `select encode(content_hash, 'hex') as content from proposals where id = $1`,
      [id],
    );
    return (await who.post('payout/decide', { id, content: rows[0].content, verdict })).body;
  }

  /** A batch that two people agreed to, with one withdrawal of each. */
  async agreed(...payees: Payee[]): Promise<{ id: string; withdrawals: string[] }> {
    const withdrawals: string[] = [];
    for (const payee of payees) withdrawals.push(await this.withdrawal(payee));
    const { data, error } = await this.prepare();
    if (!data?.id) throw new Error(`${error} ${JSON.stringify(data)}`);
    await this.#agree(data.id);
    return { id: data.id, withdrawals };
  }

  async replace(id: string, how: 'faster' | 'cancel'): Promise<string> {
    const { data, error } = (await this.cashier.post('payout/replace', { id, how })).body;
    if (!data) throw new Error(error);
    await this.#agree(data.id);
    return data.id;
  }

  async fileOf(id: string): Promise<{ batch: EvmBatch; hash: string }> {
    return (await this.cashier.get('payout/file', { id })).body;
  }

  /** `taken`, or the refusal. */
  async sign(id: string, file?: string): Promise<string> {
    const signed = file ?? (await signedFile(await this.fileOf(id)));
    const { body } = await this.cashier.post('payout/sign', { id, file: signed });
    return body.error === undefined ? 'taken' : `${body.error} ${body.msg}`;
  }

  async #agree(id: string): Promise<void> {
    const { data, error } = await this.decide(id);
    if (data?.status !== 'done') throw new Error(error);
  }
}
