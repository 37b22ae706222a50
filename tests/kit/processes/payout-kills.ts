import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiPayee, apiPayee, withdraw } from '../clients/money-api.ts';
import { OfficeClient, staffOf } from '../clients/office-client.ts';
import { dataOf } from '../clients/read-answers.ts';
import type { TestDatabase } from '../database/database.ts';
import { Random } from '../hostile/random.ts';
import type { PaymentProvider } from '../installation/payment-provider.ts';
import { approveRequest, ask, contentOf, letADayPass, payByHand, statusOf, usdt } from '../people/money.ts';
import { installStaff } from '../people/staff.ts';
import { NodeProcess } from './node-process.ts';

/** When the process is killed: once the provider is asked, once it has paid, or some ms after the cashier's request. */
const MOMENTS = ['asked', 'paid', 'random'] as const;
const READY_MS = 60_000;

export interface KilledRound {
  readonly moment: (typeof MOMENTS)[number];
  /** Where the withdrawal stood after the kill. */
  readonly standing: string;
  /** What was paid for it in the end, by the provider and by hand. */
  readonly payments: number;
  /** What the ledger paid out for it. */
  readonly booked: number;
}

class PayoutOffice extends NodeProcess {
  origin = '';
  officeOrigin = '';

  static async start(db: TestDatabase, provider: PaymentProvider): Promise<PayoutOffice> {
    const office = new PayoutOffice('tests/kit/processes/payout-office.ts', {
      args: [db.name, String(db.ownerAddress.host), provider.origin],
    });
    await office.untilTrue(() => office.output().includes('ready {'), READY_MS);
    const { origin, officeOrigin } = JSON.parse(/^ready (.*)$/m.exec(office.output())?.[1] ?? '');
    Object.assign(office, { origin, officeOrigin });
    return office;
  }

  clientOf(cashier: OfficeClient): OfficeClient {
    const client = new OfficeClient(this.officeOrigin);
    client.cookie = cashier.cookie;
    return client;
  }
}

/**
 * Kills the office's process while a cashier sends a withdrawal through the provider, `rounds` times. Then either the cashier asks
 * again in a new process, or two people look at the provider's payments and say what became of it, and it is paid by hand if it did not
 * go out.
 */
export async function killPayouts(
  db: TestDatabase,
  provider: PaymentProvider,
  { rounds, seed }: { rounds: number; seed: number },
): Promise<KilledRound[]> {
  const random = new Random(seed);
  let office = await PayoutOffice.start(db, provider);
  const people = await peopleOf(db, office);
  const results: KilledRound[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const moment = MOMENTS[round % MOMENTS.length] as KilledRound['moment'];
      const id = await approved(db, office, people);
      const kill = () => office.kill();
      provider.onAsked = moment === 'asked' ? kill : () => {};
      provider.onPaid = moment === 'paid' ? kill : () => {};
      const sent = office
        .clientOf(people.cashier)
        .post('withdrawal/send', { id, way: 'provider' })
        .catch(() => null);
      if (moment === 'random') {
        await sleep(random.whole(0, 60));
        await kill();
      }
      await sent;
      provider.onAsked = provider.onPaid = () => {};
      const standing = await statusOf(db, 'withdrawal', id);
      office = await PayoutOffice.start(db, provider);
      const byHand = await end(db, office, people, { id, provider, asksAgain: random.isLikely(0.5) });
      const { rows } = await db.owner.query<{ count: number }>(
        `select count(*)::int as count from ledger.transfers where kind = 'payout' and idempotency_key = $1`,
        [`withdrawal:${id}:end`],
      );
      const booked = rows[0]?.count ?? 0;
      results.push({ moment, standing, payments: provider.of(id) + byHand, booked });
      if (round % 20 === 19) await letADayPass(db);
    }
  } finally {
    await office.kill();
  }
  return results;
}

interface People {
  readonly ann: ApiPayee;
  /** Logged in to the office. */
  readonly cashier: OfficeClient & { readonly staffId: string };
  readonly approver: string;
}

async function peopleOf(db: TestDatabase, office: PayoutOffice): Promise<People> {
  const cashier = await staffOf(db, office.officeOrigin, 'cashier');
  await db.owner.query(
    `update staff_sessions set proved_until = now() + interval '12 hours' where staff_id = $1`,
    [cashier.staffId],
  );
  const ann = await apiPayee(office.origin, db, usdt(100_000));
  await db.owner.query(
    `update sessions set fresh_until = now() + interval '12 hours', proved_at = now() + interval '12 hours'
     where customer_id = $1`,
    [ann.id],
  );
  return {
    ann,
    cashier,
    approver: await installStaff(db.owner, 'approver'),
  };
}

async function approved(db: TestDatabase, office: PayoutOffice, people: People): Promise<string> {
  const { id } = await dataOf(withdraw(office.origin, people.ann, '20'));
  await ask(db, 'withdrawal_propose', [people.cashier.staffId, id, '']);
  await approveRequest(db, 'withdrawal', [people.approver, id, await contentOf(db, 'withdrawal', id)]);
  return id;
}

/** Brings the payment to its end, and returns the number of payments that were made by hand. */
async function end(
  db: TestDatabase,
  office: PayoutOffice,
  { cashier, approver }: People,
  { id, provider, asksAgain }: { id: string; provider: PaymentProvider; asksAgain: boolean },
): Promise<number> {
  const standing = await statusOf(db, 'withdrawal', id);
  if (standing === 'success') return 0;
  if (asksAgain) {
    const { body } = await office.clientOf(cashier).post('withdrawal/send', { id, way: 'provider' });
    if (body.code !== 1) throw new Error(`${JSON.stringify(body)}\n${office.output()}`);
    return 0;
  }
  if (standing === 'sending') {
    const payment = [...provider.payments.values()].find((one) => one.id === id);
    const said = [
      cashier.staffId,
      id,
      payment !== undefined,
      payment?.reference ?? null,
      'as the provider says',
    ];
    const proposal = await ask(db, 'payout_end_propose', said);
    await ask(db, 'proposal_approve', [approver, ['payout_end'], proposal]);
    if (payment) return 0;
  }
  return (await payByHand(db, cashier.staffId, id, `by hand ${id}`)) === '' ? 1 : 0;
}
