import type { PlantedDefect } from './planted-defects.ts';

const SCHEMA = 'apps/server/schema';
const PROTECTION_TEST = `${SCHEMA}/customers/protection.test.ts`;
const FREEZES_TEST = `${SCHEMA}/customers/freezes.test.ts`;
const SESSIONS_TEST = `${SCHEMA}/customers/sessions.test.ts`;
const REQUESTS_TEST = `${SCHEMA}/money/requests.test.ts`;
const ROLES_TEST = `${SCHEMA}/office/roles.test.ts`;
const EXACT_TEST = 'apps/server/src/trading/placement/exact-terms.test.ts';

/** Defects that turn a rule round: who gets whose money, what an excluded customer may do, and who may ask for what. */
export const RULE_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'an excluded customer can’t withdraw',
    file: `${SCHEMA}/money/withdrawals.sql`,
    search: 'select * into _terms from withdrawal_terms where asset_id = _asset;',
    replace:
      'perform demand_open(_customer);\n  select * into _terms from withdrawal_terms where asset_id = _asset;',
    caughtBy: [PROTECTION_TEST],
  },
  {
    name: 'a withdrawal of an excluded customer is never approved',
    file: `${SCHEMA}/money/withdrawals.sql`,
    search: "if _until > now() then perform refuse('HOLD_LASTS'",
    replace: "perform demand_open(_r.customer_id);\n  if _until > now() then perform refuse('HOLD_LASTS'",
    caughtBy: [PROTECTION_TEST],
  },
  {
    name: 'an exclusion under another account stops nothing',
    file: `${SCHEMA}/customers/protection.sql`,
    search: "when _p.document_until > clock_timestamp() then 'exclusion'",
    replace: "when false then 'exclusion'",
    caughtBy: [PROTECTION_TEST],
  },
  {
    name: 'a break can be made shorter',
    file: `${SCHEMA}/customers/exclusions.sql`,
    search: ' and (closed_until is null or closed_until < _until)',
    replace: '',
    caughtBy: [PROTECTION_TEST],
  },
  {
    name: 'a looser limit counts at once',
    file: `${SCHEMA}/customers/limits.sql`,
    search: 'later_amount = _amount, later_at = clock_timestamp() + loosening_delay()',
    replace: 'later_amount = _amount, later_at = clock_timestamp()',
    caughtBy: [PROTECTION_TEST],
  },
  {
    name: 'a deposit of one asset uses up the limit of another',
    file: `${SCHEMA}/customers/limits.sql`,
    search: 'd.customer_id = _customer and d.asset_id = _asset and d.status',
    replace: 'd.customer_id = _customer and d.status',
    caughtBy: [PROTECTION_TEST],
  },
  {
    name: 'a withdrawal of a frozen customer is approved and paid',
    file: `${SCHEMA}/money/withdrawals.sql`,
    search: "if frozen_until(_r.customer_id, 'withdrawals') is not null then",
    replace: 'if false then',
    caughtBy: [FREEZES_TEST],
  },
  {
    name: 'a frozen customer places orders',
    file: `${SCHEMA}/customers/protection.sql`,
    search: "case when _p.orders_frozen_until > clock_timestamp() then 'freeze' end",
    replace: 'null',
    caughtBy: [FREEZES_TEST],
  },
  {
    name: 'the decision about an order computes its income as a float',
    file: `${SCHEMA}/trading/placement-rules.sql`,
    search: 'o.stake / 10000 * t.rate + o.stake % 10000 * t.rate / 10000 as income',
    replace: 'floor(o.stake * (t.rate / 10000.0::float8))::bigint as income',
    caughtBy: [EXACT_TEST],
  },
  {
    name: 'a refusal names a stake that is a unit too small',
    file: `${SCHEMA}/trading/placement-rules.sql`,
    search: 'div((_one.own_left + 1)::numeric * 10000 - 1, _one.rate)',
    replace: 'div(_one.own_left::numeric * 10000, _one.rate)',
    caughtBy: [EXACT_TEST],
  },
  {
    name: 'a tenth of a void order’s stake is rounded up',
    file: `${SCHEMA}/trading/settlement.sql`,
    search: "when 'not_logged' then w.stake / 10 else 0 end else 0 end as",
    replace: "when 'not_logged' then (w.stake + 9) / 10 else 0 end else 0 end as",
    caughtBy: ['apps/server/src/trading/settlement/fixes.test.ts'],
  },
  {
    name: 'what others owe is shown to whoever asks, without a session',
    file: 'packages/protocol/src/market/transparency-endpoints.ts',
    search: "'fund/owed', 'session'",
    replace: "'fund/owed', 'public'",
    caughtBy: ['tests/security/access-matrix.test.ts'],
  },
  {
    name: 'a customer withdraws to another customer’s address',
    file: `${SCHEMA}/money/withdrawals.sql`,
    search: 'where d.id = _destination and d.customer_id = _customer and d.asset',
    replace: 'where d.id = _destination and d.asset',
    caughtBy: [REQUESTS_TEST],
  },
  {
    name: 'a fresh session sends money out without the password',
    file: `${SCHEMA}/money/withdrawals.sql`,
    search: '_customer bigint := session_proved(_token_hash);',
    replace: '_customer bigint := session_customer(_token_hash, true);',
    caughtBy: [SESSIONS_TEST],
  },
  {
    name: 'the API takes a fresh session for a proved one',
    file: 'apps/server/src/processes/api/api.ts',
    search: "endpoint.access === 'proved' ? session.isProved",
    replace: "endpoint.access === 'proved' ? session.isFresh",
    caughtBy: ['apps/server/src/customers/identity/sessions.test.ts'],
  },
  {
    name: 'a claim of the account holds withdrawals half as long',
    file: `${SCHEMA}/customers/taking-back.sql`,
    search: 'r.decided_at + 2 * _hold',
    replace: 'r.decided_at + _hold',
    caughtBy: [REQUESTS_TEST],
  },
  {
    name: 'support decides about names',
    file: `${SCHEMA}/customers/verification.sql`,
    search: "perform demand_usable(_staff, 'verification');",
    replace:
      "if not staff_may(_staff, 'support') then perform demand_usable(_staff, 'verification'); end if;",
    caughtBy: [ROLES_TEST],
  },
  {
    name: 'a session of staff lives for two hours',
    file: `${SCHEMA}/office/acting.sql`,
    search: "s.last_used_at > now() - interval '1 hour'",
    replace: "s.last_used_at > now() - interval '2 hours'",
    caughtBy: [ROLES_TEST],
  },
];
