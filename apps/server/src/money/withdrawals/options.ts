import type { Destination, WithdrawOptions } from '@fairtick/protocol';
import type { Destinations } from '../../customers/personal-data/destinations.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';
import { comparePayout, factsOf, readLastPayouts } from './destination-facts.ts';

export interface OptionParts {
  readonly destinations: Destinations;
}

/** Longest time of a review, as customers are told. */
const REVIEW_HOURS = 24;

/** A bound card or address, with its current row. */
export interface BoundDestination extends Destination {
  readonly rowId: string;
}

/** The options for a customer's withdrawals, and the prerequisites that are missing. */
export async function readOptions(
  db: Queryable,
  parts: OptionParts,
  customerId: string,
): Promise<WithdrawOptions> {
  const { rows } = await db.query<{ has_word: boolean; is_verified: boolean; hold_seconds: number }>(
    `select exists (select from withdrawal_passwords w where w.customer_id = c.id) as has_word, c.real_status = 'verified' as is_verified, s.hold_seconds
     from customers c, house_settings s where c.id = $1`,
    [customerId],
  );
  const bound = await readDestinations(db, parts, customerId);
  const missing: WithdrawOptions['missing'] = [];
  if (!rows[0]?.has_word) missing.push('payWord');
  for (const kind of ['bank', 'address'] as const)
    if (!bound.some((one) => one.kind === kind)) missing.push(kind);
  if (!rows[0]?.is_verified) missing.push('realName');
  return {
    missing,
    destinations: bound.map(({ rowId: _rowId, ...destination }) => destination),
    assets: await readTerms(db, customerId),
    reviewHours: REVIEW_HOURS,
    holdSeconds: rows[0]?.hold_seconds ?? 0,
  };
}

/** The customer's cards and addresses; the label only tells them apart. */
export async function readDestinations(
  db: Queryable,
  { destinations }: OptionParts,
  customerId: string,
): Promise<BoundDestination[]> {
  const { rows } = await db.query<{
    id: string;
    wire_id: string;
    asset: string;
    network: string | null;
    usableAt: number | null;
  }>(
    `select id, wire_id, asset, network, ${ms('case when not claim_waits(customer_id) then hold_until(customer_id, id) end')} as "usableAt"
     from destinations where customer_id = $1 and removed_at is null order by kind, wire_id`,
    [customerId],
  );
  const payouts = await readLastPayouts(db, customerId);
  const bound: BoundDestination[] = [];
  for (const row of rows) {
    const opened = await destinations.read(db, customerId, row.id);
    // Removed since the list was read.
    if (opened === null) continue;
    const label =
      opened.kind === 'bank'
        ? `${opened.card.bank.slice(0, 40)} •••• ${opened.card.cardNumber.slice(-4)}`
        : `${row.network} ${ends(opened.address)}`;
    const kind = opened.kind === 'bank' ? 'bank' : 'address';
    bound.push({
      rowId: row.id,
      id: row.wire_id,
      kind,
      asset: row.asset,
      label,
      facts: factsOf(opened, row.network),
      usableAt: row.usableAt,
      lastPayout: await comparePayout(
        db,
        destinations,
        customerId,
        { opened, network: row.network },
        payouts.find(({ asset }) => asset === row.asset),
      ),
    });
  }
  return bound;
}

function ends(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

async function readTerms(db: Queryable, customerId: string): Promise<WithdrawOptions['assets']> {
  const { rows } = await db.query<WithdrawOptions['assets'][number]>(
    `select a.code as asset, ${amountOf('b.available')} as available, ${amountOf('t.min')} as min,
       ${amountOf('withdrawal_max(t, c.level)')} as max, ${amountOf('t.fee')} as fee
     from withdrawal_terms t join ledger.balances b on b.asset_id = t.asset_id and b.owner_id = $1
     join customers c on c.id = b.owner_id join ledger.assets a on a.id = t.asset_id order by t.asset_id`,
    [customerId],
  );
  return rows;
}
