import type pg from 'pg';

/** What a customer has, as the database says; the same texts, and nobody has touched it. */
export async function possessionsOf(owner: pg.Pool, customerId: number): Promise<string> {
  const { rows } = await owner.query(
    `select (select row_to_json(c) from customers c where id = $1) as customer,
       (select json_agg(b order by asset_id) from ledger.balances b where owner_id = $1) as balances,
       (select json_agg(o order by id) from orders o where customer_id = $1) as orders,
       (select json_agg(p order by id) from ledger.postings p where owner_id = $1) as postings,
       (select json_agg(s.token_hash order by token_hash) from sessions s where customer_id = $1) as sessions,
       (select json_agg(r order by code_hash) from recovery_codes r where customer_id = $1) as codes,
       (select json_agg(f order by id) from customer_second_factors f where customer_id = $1) as factors,
       (select json_agg(e order by id) from data_exports e where customer_id = $1) as exports,
       (select json_agg(v order by id) from verifications v where customer_id = $1) as verifications,
       (select json_agg(u order by id) from uploads u where customer_id = $1) as uploads,
       (select json_agg(b order by id) from bank_cards b where customer_id = $1) as cards,
       (select json_agg(a order by id) from crypto_addresses a where customer_id = $1) as addresses,
       (select row_to_json(w) from pay_words w where customer_id = $1) as word,
       (select json_agg(d order by id) from deposit_requests d where customer_id = $1) as deposits,
       (select json_agg(w order by id) from withdrawal_requests w where customer_id = $1) as withdrawals,
       (select json_agg(n order by id) from notices n where customer_id = $1) as notices,
       (select row_to_json(c) from chats c where customer_id = $1) as chat,
       (select json_agg(m order by id) from chat_messages m where customer_id = $1) as messages`,
    [customerId],
  );
  return JSON.stringify(rows[0]);
}
