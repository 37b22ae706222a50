import { CATALOGUE } from '../market/catalogue/catalogue.ts';
import type { CodeCheck } from '../transparency/audit/audit-checks.ts';
import { SEEDED_ASSETS } from './seeded-assets.ts';

/** Constants of this version, which a start only adds. Products of the office are as two people approved them. */
export const SEEDED_CHECK: CodeCheck = {
  name: 'assets, products and what the house may lose in a minute are those of this version',
  run: async (client) => {
    const assets = Object.entries(SEEDED_ASSETS).map(([code, { id, scale, isPractice, product, group }]) => {
      const unit = 10n ** BigInt(scale);
      return { id, code, scale, isPractice, product: `${product * unit}`, group: `${group * unit}` };
    });
    const { rows } = await client.query<{ detail: string }>(
      `select format('asset %s: %s decimals, %s and %s in a minute', a.code, a.scale, i.product_limit, i.group_limit) as detail
       from ledger.assets a left join promised_income i on i.asset_id = a.id
       left join json_to_recordset($1) as s (id int, code text, scale int, "isPractice" boolean, product bigint, "group" bigint) on s.id = a.id
       where (a.code, a.scale::int, a.is_practice, i.product_limit, i.group_limit) is distinct from (s.code, s.scale, s."isPractice", s.product, s."group")
       union all
       select format('product %s: %s decimals, group %s', p.symbol, p.decimals, p.exposure_group) from products p
       join json_to_recordset($2) as c (symbol text, decimals int, "group" text) using (symbol)
       where p.proposal_id is null and (p.decimals::int, p.exposure_group) is distinct from (c.decimals, c."group")
       union all
       select format('product %s is not as proposal %s has it', p.symbol, p.proposal_id) from products p
       left join proposals a on a.id = p.proposal_id and a.kind = 'product_new' and a.state = 'done'
       where p.proposal_id is not null and jsonb_build_object('symbol', p.symbol, 'names', p.names, 'assetClass', p.asset_class,
         'decimals', p.decimals, 'group', p.exposure_group, 'day', jsonb_build_object('zone', p.day_zone, 'from', p.day_from),
         'aliases', to_jsonb(p.aliases), 'listing', p.listing, 'payouts', p.payouts) is distinct from a.content -> 'product'`,
      [
        JSON.stringify(assets),
        JSON.stringify(CATALOGUE.map(({ symbol, decimals, group }) => ({ symbol, decimals, group }))),
      ],
    );
    return rows.map(({ detail }) => detail);
  },
};
