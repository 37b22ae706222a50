import type { Client, Queryable } from '../../platform/db/database.ts';

/** An entry that another process prepared for the log. */
export interface OwedText {
  readonly text: string;
  /** Records the entry's place in the transaction of the append; fails if the entry is not there. */
  readonly logged: (client: Client, index: number) => Promise<unknown>;
}

/** The newest heads of ledger and audit log, the liabilities to customers, the addresses that were assigned, and what is held on chains. */
export async function readOwedTexts(db: Queryable, timeMs: number): Promise<OwedText[]> {
  const heads = await db.query<{ number: string; fields: string }>({
    name: 'heads-owed',
    text: 'select number, fields from heads_owed()',
  });
  const liabilities = await db.query<{ date: string; asset_id: number; entry: string }>({
    name: 'liabilities-owed',
    text: 'select date::text, asset_id, entry from liabilities_owed()',
  });
  const addresses = await db.query<{ size: number; entry: string }>({
    name: 'addresses-owed',
    text: 'select size, entry from address_roots_owed()',
  });
  const holdings = await db.query<{ date: string; chain: string; contract: string; entry: string }>({
    name: 'holdings-owed',
    text: 'select date::text, chain, contract, entry from chain_holdings_owed()',
  });
  return [
    ...holdings.rows.map(({ date, chain, contract, entry }) => ({
      text: entry,
      logged: (client: Client, index: number) =>
        client.query('select chain_holdings_logged($1, $2, $3, $4)', [date, chain, contract, index]),
    })),
    ...addresses.rows.map(({ size, entry }) => ({
      text: entry,
      logged: (client: Client, index: number) =>
        client.query('select address_root_logged($1, $2)', [size, index]),
    })),
    ...heads.rows.map(({ number, fields }) => ({
      text: `audit|4|${timeMs}|${fields}`,
      logged: (client: Client, index: number) => client.query('select heads_logged($1, $2)', [number, index]),
    })),
    ...liabilities.rows.map(({ date, asset_id, entry }) => ({
      text: entry,
      logged: (client: Client, index: number) =>
        client.query('select liabilities_logged($1, $2::smallint, $3)', [date, asset_id, index]),
    })),
  ];
}
