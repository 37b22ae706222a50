import type { OfficeData } from '@fairtick/protocol/office';
import type { Pool } from '../../platform/db/database.ts';

type Link = OfficeData<'customer/links'>[number];

const MOST = 50;

/**
 * Other accounts with the same document, destination, device or network as the customer `$1`. A device is one browser at one address;
 * devices and networks count for 90 days, each with the last 20 of the customer. Blind indices under an older key are found again once
 * the rotation of keys has made them anew.
 */
const LINKS = `with place as (
    select distinct user_agent, address from (
      select user_agent, address from login_events where customer_id = $1 and is_success and address is not null and at > now() - interval '90 days'
      order by id desc limit 20) l
  ), shared (what, id, at) as (
    select 'document', o.customer_id, o.submitted_at from verifications v join verifications o on o.document_index = v.document_index where v.customer_id = $1
    union all select 'destination', o.customer_id, o.changed_at from bank_cards d join bank_cards o on o.number_index = d.number_index
      where d.customer_id = $1
    union all select 'destination', o.customer_id, o.changed_at from crypto_addresses d join crypto_addresses o on o.address_index = d.address_index
      where d.customer_id = $1
    union all select case when e.user_agent = p.user_agent then 'device' else 'network' end, e.customer_id, e.at
      from place p join login_events e on e.address = p.address and e.is_success and e.at > now() - interval '90 days'
  ), other as (
    select what, id, max(at) as at, count(*)::int as times from shared where id <> $1 group by what, id
  ), ranked as (select *, row_number() over (partition by what order by at desc) as place from other)
  select r.what, r.id::text, c.account, c.real_status as "realStatus", (extract(epoch from r.at) * 1000)::bigint::float8 as "lastAt", r.times
  from ranked r join customers c on c.id = r.id where r.place <= ${MOST}
  order by array_position(array['document', 'destination', 'device', 'network'], r.what), r.at desc, r.id`;

/** The facts that a customer's account shares with others, which prove nothing about the people behind them. */
export async function readLinks(pool: Pool, customerId: string): Promise<Link[]> {
  return (await pool.query<Link>(LINKS, [customerId])).rows;
}
