import type { ErrorCode } from '@fairtick/protocol';
import { type Answer, PASSWORD, post, type Registered, register } from '../clients/api-client.ts';
import { recharge } from '../clients/money-api.ts';
import { startApi } from '../installation/running-api.ts';
import type { TradingFloor } from '../installation/trading-floor.ts';

type Protecting =
  | Extract<ErrorCode, `ALERT_${string}`>
  | 'ON_BREAK'
  | 'STAKE_LIMIT'
  | 'LOSS_LIMIT'
  | 'SELF_EXCLUDED'
  | 'DEPOSIT_LIMIT'
  | 'BREAK_LASTS_LONGER'
  | 'COUNTRY_REQUIRED'
  | 'RISK_NOT_ACCEPTED'
  | 'TOO_MANY_ALERTS';

/** A request for every refusal about a customer's protection and about price alerts; EUR/USD stands at 1.08400. */
export function protectionRefusals(floor: () => TradingFloor): Record<Protecting, () => Promise<Answer>> {
  const ask = (path: string, fields: Record<string, string>, { token }: Registered) =>
    post(floor().origin, path, fields, { token });
  const customer = () => register(floor().origin);
  const alert = (price: string, who: Registered) => ask('alert/add', { symbol: 'EUR/USD', price }, who);
  const signUp = async (fields: Record<string, string>) => {
    const live = await startApi(floor().house.db, { mode: 'live' });
    const form = { account: 'live_person', password: PASSWORD, confirmPassword: PASSWORD };
    try {
      return await post(live.origin, 'user/register', { ...form, ...fields });
    } finally {
      await live.stop();
    }
  };
  const limitedOrder = async (kind: string) => {
    const who = await customer();
    await ask('protection/setLimit', { asset: 'DEMO', kind, per: 'day', amount: '150' }, who);
    await floor().order(who.token);
    return floor().order(who.token);
  };
  return {
    ON_BREAK: async () => {
      const who = await customer();
      await ask('protection/takeBreak', { hours: '24' }, who);
      return recharge(floor().origin, who.token, '50');
    },
    SELF_EXCLUDED: async () => {
      const who = await customer();
      await ask('protection/selfExclude', { months: 'forever' }, who);
      return recharge(floor().origin, who.token, '50');
    },
    DEPOSIT_LIMIT: async () => {
      const who = await customer();
      await ask('protection/setLimit', { asset: 'USDT', kind: 'deposit', per: 'week', amount: '49.5' }, who);
      return recharge(floor().origin, who.token, '50');
    },
    STAKE_LIMIT: () => limitedOrder('stake'),
    LOSS_LIMIT: () => limitedOrder('loss'),
    BREAK_LASTS_LONGER: async () => {
      const who = await customer();
      await ask('protection/selfExclude', { months: '6' }, who);
      return ask('protection/takeBreak', { hours: '24' }, who);
    },
    COUNTRY_REQUIRED: () => signUp({ acceptRisk: 'true' }),
    RISK_NOT_ACCEPTED: () => signUp({ country: 'CH' }),
    ALERT_PRICE: async () => alert('1.0850001', await customer()),
    ALERT_REACHED: async () => alert('1.08400', await customer()),
    ALERT_NOT_FOUND: async () => ask('alert/remove', { id: '1' }, await customer()),
    TOO_MANY_ALERTS: async () => {
      const who = await customer();
      for (let place = 0; place < 20; place += 1) await alert(`1.2${String(place).padStart(2, '0')}`, who);
      return alert('1.3', who);
    },
  };
}
