import { formatDecimal, parsePrice } from '@fairtick/money';
import type { ErrorCode, PriceAlert } from '@fairtick/protocol';
import type { Products } from '../../market/products.ts';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import { type Handlers, RefusalError } from '../../platform/http/context.ts';
import { readId } from '../../platform/paging.ts';

/** How many fired alerts are listed; the inbox has all of them. */
const SHOWN_FIRED = 50;

interface AlertRow {
  readonly id: string;
  readonly product_id: number;
  readonly direction: number;
  readonly mark: string;
  readonly created_ms: string;
  readonly fired_index: string | null;
  readonly fired_ms: string | null;
  readonly fired_price: string | null;
}

const COLUMNS = `id, product_id, direction, mark, floor(extract(epoch from created_at) * 1000)::bigint as created_ms,
  fired_index, fired_ms, fired_price`;

export function alertHandlers(parts: {
  pool: Pool;
  products: Products;
}): Pick<Handlers, 'alertList' | 'alertAdd' | 'alertRemove'> {
  const { pool, products } = parts;
  const read = async (condition: string, values: readonly unknown[]) => {
    const { rows } = await pool.query<AlertRow>(`select ${COLUMNS} from price_alerts where ${condition}`, [
      ...values,
    ]);
    return rows.map((row) => present(row, products));
  };
  return {
    alertList: async (_input, { session }) => ({
      waiting: await read('customer_id = $1 and fired_at is null and removed_at is null order by id desc', [
        session.customerId,
      ]),
      fired: await read(
        'customer_id = $1 and fired_at is not null order by fired_at desc, id desc limit $2',
        [session.customerId, SHOWN_FIRED],
      ),
      most: await most(pool),
    }),
    alertAdd: async ({ symbol, price }, { session }) => {
      const product = products.bySymbol(symbol);
      if (!product) throw new RefusalError('PRODUCT_NOT_FOUND', { fields: { symbol: 'PRODUCT_NOT_FOUND' } });
      const mark = parsePrice(price, product.decimals);
      if (mark === null) throw new RefusalError('ALERT_PRICE', { fields: { price: 'ALERT_PRICE' } });
      const { rows } = await pool.query<{ alert_id: string | null; refused: ErrorCode | null }>(
        'select * from alert_add($1, $2::smallint, $3)',
        [session.tokenHash, product.id, mark],
      );
      const { alert_id: id, refused } = rows[0] ?? { alert_id: null, refused: null };
      if (refused === 'TOO_MANY_ALERTS')
        throw new RefusalError(refused, { parameters: { count: String(await most(pool)) } });
      if (refused)
        throw new RefusalError(refused, refused === 'ALERT_REACHED' ? { fields: { price: refused } } : {});
      const [alert] = await read('id = $1', [id]);
      if (!alert) throw new Error('an alert was added but is not there');
      return alert;
    },
    alertRemove: async ({ id }, { session }) => {
      const { rows } = await pool.query<{ refused: ErrorCode | null }>(
        'select alert_remove($1, $2) as refused',
        [session.tokenHash, readId(id) ?? 0],
      );
      if (rows[0]?.refused) throw new RefusalError(rows[0].refused);
      return null;
    },
  };
}

async function most(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ most: number }>('select alerts_at_most() as most');
  return (rows[0] as { most: number }).most;
}

function present(row: AlertRow, products: Products): PriceAlert {
  const { symbol, decimals } = products.byId(row.product_id);
  return {
    id: row.id,
    symbol,
    direction: row.direction === 1 ? 'up' : 'down',
    price: formatDecimal(BigInt(row.mark), decimals),
    createdAt: Number(row.created_ms),
    fired:
      row.fired_price === null
        ? null
        : {
            price: formatDecimal(BigInt(row.fired_price), decimals),
            time: Number(row.fired_ms),
            index: Number(row.fired_index),
          },
  };
}
