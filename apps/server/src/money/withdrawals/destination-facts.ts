import type { Destination } from '@fairtick/protocol';
import type { Destinations } from '../../customers/personal-data/destinations.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { ms } from '../../platform/office-queries.ts';

export type Opened = NonNullable<Awaited<ReturnType<Destinations['read']>>>;
type Fact = Destination['facts'][number];

/** All that says where money goes, in the order in which people compare it. A card's number is shown by its last four digits only. */
export function factsOf(opened: Opened, network: string | null): Fact[] {
  if (opened.kind === 'crypto')
    return [
      { name: 'network', value: network ?? '' },
      { name: 'address', value: opened.address },
    ];
  const { holder, bank, branch, country, bankCode, cardNumber } = opened.card;
  const facts: Fact[] = [
    { name: 'holder', value: holder },
    { name: 'bank', value: bank },
    { name: 'branch', value: branch },
    { name: 'country', value: country ?? '' },
    { name: 'bankCode', value: bankCode ?? '' },
    { name: 'number', value: `•••• ${cardNumber.slice(-4)}` },
  ];
  return facts.filter(({ value }) => value !== '');
}

/** The names of what differs between two destinations, also of numbers with the same last digits. */
function changedFacts(
  now: Opened,
  network: string | null,
  before: Opened,
  networkBefore: string | null,
): Fact['name'][] {
  const known = factsOf(before, networkBefore);
  const changed = factsOf(now, network).filter(
    ({ name, value }) => value !== known.find((fact) => fact.name === name)?.value,
  );
  const hasOtherNumber =
    now.kind === 'bank' && before.kind === 'bank' && now.card.cardNumber !== before.card.cardNumber;
  return [...new Set([...changed.map(({ name }) => name), ...(hasOtherNumber ? (['number'] as const) : [])])];
}

interface LastPayout {
  readonly asset: string;
  readonly destinationId: string;
  readonly label: string;
  readonly network: string | null;
  readonly paidAt: number;
}

/** The customer's last payout of each asset. */
export async function readLastPayouts(db: Queryable, customerId: string): Promise<readonly LastPayout[]> {
  const { rows } = await db.query<LastPayout>(
    `select distinct on (r.asset_id) a.code as asset, r.destination_id as "destinationId", r.destination_label as label, d.network,
       ${ms('r.decided_at')} as "paidAt"
     from withdrawal_requests r join ledger.assets a on a.id = r.asset_id left join destinations d on d.id = r.destination_id
     where r.customer_id = $1 and r.status = 'success' order by r.asset_id, r.decided_at desc`,
    [customerId],
  );
  return rows;
}

/** How a destination differs from where the last payout of its asset went. */
export async function comparePayout(
  db: Queryable,
  destinations: Destinations,
  customerId: string,
  now: { readonly opened: Opened; readonly network: string | null },
  last: LastPayout | undefined,
): Promise<Destination['lastPayout']> {
  if (!last) return null;
  const before = await destinations.read(db, customerId, last.destinationId);
  const changed = before
    ? changedFacts(now.opened, now.network, before, last.network)
    : factsOf(now.opened, now.network).map(({ name }) => name);
  return { paidAt: last.paidAt, label: last.label, changed };
}
