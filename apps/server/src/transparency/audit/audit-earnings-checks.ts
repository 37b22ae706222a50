/** Invariants of earnings besides constraints: see audit-checks.ts. */
export const EARNINGS_CHECKS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'each day of interest follows from its principal, its rate and what the day before left over',
    sql: `select format('customer %s asset %s day %s: %s and %s parts of %s at %s, %s parts before', customer_id, asset_id, day, interest,
        carry, principal, annual_ppm, before) as detail
      from (
        select i.*, lag(carry, 1, 0::bigint) over (partition by customer_id, asset_id order by day) as before from earning_interest i
      ) i
      where interest::numeric * 365000000 + carry <> principal::numeric * annual_ppm + before`,
  },
  {
    name: 'each day of interest is at the rate of the table',
    sql: `select format('customer %s asset %s day %s: at %s, the table says %s', i.customer_id, i.asset_id, i.day, i.annual_ppm,
        r.annual_ppm) as detail
      from earning_interest i
      left join lateral (
        select r.annual_ppm from earning_rates r where r.asset_id = i.asset_id and r.from_day <= i.day order by r.from_day desc limit 1
      ) r on true
      where i.annual_ppm is distinct from r.annual_ppm`,
  },
  {
    name: 'each day of interest was paid once, what it says; no other was',
    sql: `select format('customer %s asset %s day %s: %s, transfer %s paid %s', coalesce(i.customer_id, p.owner_id),
        coalesce(i.asset_id, p.asset_id), coalesce(to_char(i.day, 'YYYYMMDD'), p.ref::text), i.interest, p.transfer_id, p.amount) as detail
      from (select * from earning_interest where interest > 0) i
      full join (
        select p.transfer_id, p.owner_id, p.asset_id, p.ref, sum(p.amount) as amount, count(*) as count
        from ledger.postings p join ledger.transfers t on t.id = p.transfer_id where t.kind = 'interest' group by 1, 2, 3, 4
      ) p on p.transfer_id = i.transfer_id and p.owner_id = i.customer_id and p.asset_id = i.asset_id
      where (to_char(i.day, 'YYYYMMDD')::bigint, i.interest, 1) is distinct from (p.ref, p.amount, p.count)`,
  },
  {
    name: 'what stands in earnings has its account, and the account says what its days say',
    sql: `select format('customer %s asset %s: earns %s, brought %s and %s parts until %s, days say %s and %s until %s',
        coalesce(b.owner_id, a.customer_id), coalesce(b.asset_id, a.asset_id), b.earning, a.accumulated, a.carry, a.accrued_through,
        d.interest, d.carry, d.last) as detail
      from (select * from ledger.balances where earning > 0) b
      full join earning_accounts a on a.customer_id = b.owner_id and a.asset_id = b.asset_id
      left join (
        select customer_id, asset_id, sum(interest) as interest, max(day) as last, (array_agg(carry order by day desc))[1] as carry
        from earning_interest group by 1, 2
      ) d on d.customer_id = a.customer_id and d.asset_id = a.asset_id
      where a.customer_id is null or a.accumulated <> coalesce(d.interest, 0) or a.carry <> coalesce(d.carry, 0)
        or a.accrued_through < d.last`,
  },
  {
    name: 'each rate was agreed to by another than who proposed it, or is a sample of the demo',
    sql: `select format('asset %s from %s: %s, proposal %s (%s) of %s, by %s', r.asset_id, r.from_day, r.annual_ppm, p.id, p.state,
        p.content ->> 'ppm', p.decided_by) as detail
      from earning_rates r left join proposals p on p.id = r.proposal_id and p.kind = 'earning_rate'
      where r.proposal_id is not null
        and (((p.content ->> 'asset')::smallint, (p.content ->> 'from')::date, (p.content ->> 'ppm')::int, p.state)
          is distinct from (r.asset_id, r.from_day, r.annual_ppm, 'done')
        or not exists (select from approvals a where a.kind = 'earning_rate' and a.subject_id = p.id
          and a.content_hash = p.content_hash and not exists (
            select from content_edits e where e.kind = a.kind and e.subject_id = a.subject_id and e.person = a.person)))`,
  },
  {
    name: 'every account in earnings is booked day after day, and none is set aside',
    sql: `select format('customer %s asset %s: booked until %s, moved last on %s, the accrual is at %s; set aside since %s: %s',
        a.customer_id, a.asset_id, a.accrued_through, a.low_day, h.day, s.since, s.problem) as detail
      from earning_accounts a cross join earning_head h
      left join ledger.balances b on b.owner_id = a.customer_id and b.asset_id = a.asset_id
      left join earning_set_aside s on s.customer_id = a.customer_id and s.asset_id = a.asset_id
      where s.customer_id is not null or a.low_day > a.accrued_through + 1
        or (b.earning > 0 and a.accrued_through < h.day - 2)`,
  },
];
