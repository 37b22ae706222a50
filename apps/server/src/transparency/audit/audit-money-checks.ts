/** Invariants of deposits, withdrawals and corrections besides constraints: see audit-checks.ts. */

/** Transfers of requests, one row each: the customer, the asset, the subject, and the amount moved. */
const MOVED = (
  kind: string,
  what: string,
) => `select t.id, p.ref, p.owner_id, p.asset_id, sum(p.amount) as amount
  from ledger.transfers t join ledger.postings p on p.transfer_id = t.id where t.kind = '${kind}' and ${what} group by 1, 2, 3, 4`;

export const MONEY_CHECKS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'what is held is the stakes of unsettled orders and pending withdrawals, per customer and asset',
    sql: `select format('customer %s asset %s: holds %s, stakes and withdrawals %s', coalesce(b.owner_id, o.customer_id),
        coalesce(b.asset_id, o.asset_id), coalesce(b.held, 0), coalesce(o.amount, 0)) as detail
      from ledger.balances b
      full join (
        select customer_id, asset_id, sum(amount) as amount from (
          select customer_id, asset_id, stake as amount from orders_and_results where settled_at_ms is null
          union all select customer_id, asset_id, amount from withdrawal_requests where decided_at is null
          union all select customer_id, asset_id, amount from legal_holds where lift_id is null
        ) open group by 1, 2
      ) o on o.customer_id = b.owner_id and o.asset_id = b.asset_id
      where coalesce(b.held, 0) <> coalesce(o.amount, 0)`,
  },
  {
    name: 'each withdrawal has one hold of its amount, and each hold its withdrawal',
    sql: `select format('withdrawal %s: asks for %s, transfer %s held %s', coalesce(w.id, h.ref), w.amount, h.id, h.amount) as detail
      from withdrawal_requests w
      full join (${MOVED('hold', 'p.credit = p.owner_id * 4 + 1')}) h on h.id = w.hold_transfer_id
      where (w.id, w.customer_id, w.asset_id, w.amount) is distinct from (h.ref, h.owner_id, h.asset_id, h.amount)`,
  },
  {
    name: 'each hold of an authority was placed once and lifted at most once, whole, as two people agreed; no other was',
    sql: `select format('hold %s: %s, transfer %s moved %s', coalesce(h.id, t.ref), h.amount, t.id, t.amount) as detail
      from (
        select h.*, h.transfer_id as moved_by, 'place' as step, h.id as agreed from legal_holds h
        union all select h.*, h.lift_transfer_id, 'lift', h.lift_id from legal_holds h where h.lift_id is not null
      ) h left join proposals p on p.id = h.agreed and p.kind = 'legal_hold' and p.state = 'done'
      full join (
        select *, 'place' as step from (${MOVED('legal_hold', 'p.credit = p.owner_id * 4 + 1')}) m
        union all select *, 'lift' from (${MOVED('legal_release', 'p.debit = p.owner_id * 4 + 1')}) r
      ) t on t.id = h.moved_by
      where p.id is null
        or (h.id, h.customer_id, h.asset_id, h.amount, h.step) is distinct from (t.ref, t.owner_id, t.asset_id, t.amount, t.step)`,
  },
  {
    name: 'each withdrawal that ended was paid or given back once, whole; no other was',
    sql: `select format('withdrawal %s (%s): %s, transfer %s (%s) moved %s', coalesce(w.id, e.ref), w.status, w.amount, e.id, e.kind,
        e.amount) as detail
      from (select * from withdrawal_requests where decided_at is not null) w
      full join (
        select *, 'payout' as kind from (${MOVED('payout', 'p.debit = p.owner_id * 4 + 1')}) p
        union all select *, 'release' from (${MOVED('release', 'p.debit = p.owner_id * 4 + 1')}) r
      ) e on e.id = w.transfer_id
      where (w.id, w.customer_id, w.asset_id, w.amount, case w.status when 'success' then 'payout' else 'release' end)
        is distinct from (e.ref, e.owner_id, e.asset_id, e.amount, e.kind)`,
  },
  {
    name: 'each credited deposit was credited once, what was found; no other was',
    sql: `select format('deposit %s (%s): found %s, transfer %s brought %s', coalesce(d.id, t.ref), d.status, d.found_amount, t.id,
        t.amount) as detail
      from (select * from deposit_requests where status = 'success') d
      full join (${MOVED('deposit', 'p.debit = ledger.external_account()')}) t on t.id = d.transfer_id
      where (d.id, d.customer_id, d.asset_id, d.found_amount) is distinct from (t.ref, t.owner_id, t.asset_id, t.amount)`,
  },
  {
    name: 'each deposit without a proof is a payment on a chain, with what was taken back of it; no other was',
    sql: `select format('deposit %s: %s, on the chain %s, taken %s, moved %s', coalesce(d.id, c.request_id, t.ref), d.found_amount,
        c.amount, c.taken, t.amount) as detail
      from (select * from deposit_requests where proof_id is null) d
      full join (select p.*, o.customer_id from chain_deposits p join chain_addresses using (chain, address)
        join chain_customers o using (number) where p.request_id is not null) c on c.request_id = d.id
      full join (
        select p.ref, p.owner_id, p.asset_id, sum(case when p.credit = p.owner_id * 4 then p.amount else -p.amount end) as amount
        from ledger.transfers t join ledger.postings p on p.transfer_id = t.id where t.kind = 'revert' group by 1, 2, 3
      ) t on t.ref = coalesce(d.id, c.request_id)
      where (d.id, d.customer_id, d.asset_id, d.found_amount) is distinct from (c.request_id, c.customer_id, c.asset_id, c.amount)
        or -c.taken is distinct from coalesce(t.amount, 0)
        or (t.ref is not null and (t.owner_id, t.asset_id) is distinct from (d.customer_id, d.asset_id))`,
  },
  {
    name: 'each address on a chain is one customer’s, and each customer has one number and one address on a chain',
    sql: `select format('%s: %s times', what, count(*)) as detail
      from (
        select chain || ' ' || address as what from chain_addresses
        union all select chain || ' number ' || number from chain_addresses
        union all select 'customer ' || customer_id from chain_customers
        union all select 'number ' || number from chain_customers
      ) assigned group by what having count(*) > 1`,
  },
  {
    name: 'the tree of addresses has those that were assigned, and the newest root is its own',
    sql: `select format('%s number %s: another address or customer than in the tree', l.chain, l.number) as detail
      from address_leaves l left join chain_addresses a using (chain, number) left join chain_customers c using (number)
      where address_leaf_hash(l.chain, a.address, c.customer_id, l.salt) is distinct from l.hash
      union all
      select format('the root of %s addresses', r.size) from (select * from address_roots order by size desc limit 1) r
      where r.root <> merkle_root(array(select l.hash from address_leaves l where l.place < r.size order by l.place))`,
  },
  {
    name: 'each payout on a chain is of a batch that two people agreed to; each withdrawal in a batch is paid by its own payout, once',
    sql: `select format('payout %s, withdrawal %s (%s): %s to %s, agreed %s', p.id, coalesce(p.withdrawal_id, w.id), coalesce(p.state, 'none'),
        p.value, p.recipient, b.agreed) as detail
      from payouts p
      full join (select * from withdrawal_requests where sending_way = 'batch') w on w.id = p.withdrawal_id and p.state <> 'failed'
      left join lateral (
        select o as agreed from payout_batches b join proposals a on a.id = b.id and a.kind = 'payout_batch' and a.state = 'done'
          and a.content = b.content cross join jsonb_array_elements(b.content -> 'outputs') o
        where b.chain = p.chain and b.replaces is null and b.content ->> 'from' = p.address
          and (o ->> 'nonce', o ->> 'withdrawal', o ->> 'to', o ->> 'contract', o ->> 'value')
            = (p.nonce::text, p.withdrawal_id::text, p.recipient, p.contract, p.value::text)
      ) b on true
      where (p.id is not null and b.agreed is null)
        or (p.id is null and not exists (select from payouts f where f.withdrawal_id = w.id and f.state = 'failed'))
        or (p.state = 'paid') is distinct from (w.status = 'success' and p.id is not null and w.reference = p.txid) and p.state <> 'failed'`,
  },
  {
    name: 'each transaction of a paying address in a final block is of a batch',
    sql: `select format('%s %s: the transaction with the nonce %s is of no batch', a.chain, a.address, n) as detail
      from payout_accounts a cross join generate_series(a.first_nonce, a.nonce - 1) n
      where not exists (select from payouts p where (p.chain, p.address, p.nonce) = (a.chain, a.address, n)
        and coalesce(p.reason, '') not in ('lost', 'unsigned'))
      union all
      select format('%s %s: the transaction %s pays nothing that a batch has', t.chain, t.address, t.txid) from payout_transactions t
      where not exists (select from payout_signatures s join payouts p on p.id = s.payout_id
        where s.txid = t.txid and (p.chain, p.address) = (t.chain, t.address)
          and (p.txid = t.txid or p.txid is null and p.state <> 'failed'))`,
  },
  {
    name: 'each correction was made once, as two people agreed; no other was',
    sql: `select format('correction %s: %s, transfer %s moved %s', coalesce(c.id, t.ref), c.amount, t.id, t.amount) as detail
      from (select c.* from corrections c join proposals p on p.id = c.id where p.state = 'done') c
      full join (
        select t.id, p.ref, p.owner_id, p.asset_id, sum(case when p.credit = p.owner_id * 4 then p.amount else -p.amount end) as amount
        from ledger.transfers t join ledger.postings p on p.transfer_id = t.id where t.kind = 'correction' group by 1, 2, 3, 4
      ) t on t.id = c.transfer_id
      where (c.id, c.customer_id, c.asset_id, c.amount) is distinct from (t.ref, t.owner_id, t.asset_id, t.amount)`,
  },
  {
    name: 'capital of the house is what two people booked; in demo the seed booked some, too',
    sql: `select format('capital %s: %s of asset %s, agreed %s of asset %s', coalesce(m.key, 'capital:' || c.id), m.amount, m.asset_id, c.amount, c.asset_id) as detail
      from (select id, (content ->> 'asset')::smallint as asset_id, (content ->> 'amount')::bigint as amount
        from proposals where kind = 'house_capital' and state = 'done') c
      full join (
        select t.idempotency_key as key, p.asset_id, sum(case when p.credit = ledger.trading_account() then p.amount else -p.amount end) as amount
        from ledger.transfers t join ledger.postings p on p.transfer_id = t.id join ledger.assets a on a.id = p.asset_id
        where t.kind = 'capital' and (t.idempotency_key ~ '^capital:\\d+$' or (not a.is_practice and (select mode from house_settings) = 'live'))
        group by 1, 2
      ) m on m.key = 'capital:' || c.id
      where (c.asset_id, c.amount) is distinct from (m.asset_id, m.amount::bigint)`,
  },
  {
    name: 'fees are those of requests',
    sql: `select format('asset %s: has %s, requests say %s', a.id, coalesce(m.amount, 0), coalesce(r.amount, 0)) as detail
      from ledger.assets a
      left join (select asset_id, sum(amount) as amount from ledger.house_movements where account = ledger.fees_account() group by 1) m
        on m.asset_id = a.id
      left join (
        select asset_id, sum(fee) as amount from (
          select asset_id, fee from deposit_requests where status = 'success'
          union all select asset_id, fee from withdrawal_requests where status = 'success'
        ) paid group by 1
      ) r on r.asset_id = a.id
      where coalesce(m.amount, 0) <> coalesce(r.amount, 0)`,
  },
  {
    name: 'the history of each request leads without a gap from its submission to where it stands',
    sql: `select format('%s %s stands at %s: event %s from %s to %s', kind, id, status, event, from_status, to_status) as detail
      from (
        select r.kind, r.id, r.status, e.id as event, e.from_status, e.to_status,
          lag(e.to_status) over w as before, row_number() over w as place, count(*) over (partition by r.kind, r.id) as count
        from (select 'deposit' as kind, id, status from deposit_requests
          union all select 'withdrawal', id, status from withdrawal_requests) r
        left join request_events e on e.kind = r.kind and e.request_id = r.id
        window w as (partition by r.kind, r.id order by e.id)
      ) h
      where event is null or from_status is distinct from before or (place = count and to_status <> status)`,
  },
  {
    name: 'nothing was credited, paid or corrected with fewer approvals than it takes, nor with an editor’s',
    sql: `select format('%s %s: %s of %s approvals', kind, id, given, needed) as detail
      from (
        select 'withdrawal' as kind, w.id, s.needed, (select count(*) from approvals a where a.kind = 'withdrawal'
          and a.subject_id = w.id and a.content_hash = s.content and not exists (select from content_edits e
            where e.kind = a.kind and e.subject_id = a.subject_id and e.person = a.person)) as given
        from withdrawal_requests w cross join lateral (select * from withdrawal_standing(w.id)) s where w.status = 'success'
        union all
        select 'deposit', d.id, s.needed, (select count(*) from approvals a where a.kind in ('deposit', 'deposit_differing')
          and a.subject_id = d.id and a.content_hash = s.content and not exists (select from content_edits e
            where e.kind = a.kind and e.subject_id = a.subject_id and e.person = a.person))
        from deposit_requests d cross join lateral (select * from deposit_standing(d.id)) s where d.status = 'success'
        union all
        select 'correction', c.id, s.needed, (select count(*) from approvals a where a.kind = 'correction'
          and a.subject_id = c.id and a.content_hash = s.content and not exists (select from content_edits e
            where e.kind = a.kind and e.subject_id = a.subject_id and e.person = a.person))
        from corrections c cross join lateral (select * from correction_standing(c.id)) s where c.transfer_id is not null
      ) decided where given < needed`,
  },
];
