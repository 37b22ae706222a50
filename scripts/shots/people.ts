import { place } from '@fairtick/kit/browser/browser.ts';
import {
  announceDeposit,
  customerGet,
  customerPost,
  payee,
  StaffDesk,
  WITHDRAWAL_PASSWORD,
} from '@fairtick/kit/browser/payee.ts';
import { paper } from '@fairtick/kit/people/paper.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { placePair, tiedOrder, wonOrder } from './orders.ts';

/** The local storage of a customer who is logged in. */
export interface Reader {
  readonly token: string;
  readonly userInfo: unknown;
}

/**
 * Readers of a screen: not logged in, new, trading, on a break, with data in every part, with some steps to a withdrawal done, with a
 * tied order, one who buys while pictures are taken, and one who buys once.
 */
export type ReaderName =
  | 'visitor'
  | 'fresh'
  | 'trader'
  | 'resting'
  | 'rich'
  | 'begun'
  | 'odd'
  | 'buyer'
  | 'opener';

export interface People {
  readonly readers: Readonly<Record<ReaderName, Reader | null>>;
  /** The `rich` reader's customer number, and requests by state. */
  readonly rich: {
    readonly id: string;
    readonly paid: string;
    readonly returned: string;
    readonly waiting: string;
    readonly deposit: string;
  };
  /** An account for the form of the login. */
  readonly login: { readonly account: string; readonly password: string };
  /** Orders of the `trader` and the `odd` reader. */
  readonly orders: {
    readonly open: string;
    readonly settled: string;
    readonly tied: string;
  };
  /** Open cases of staff. */
  readonly cases: {
    readonly chat: string;
    readonly identity: string;
    readonly article: string;
    readonly change: string;
  };
}

const PASSWORD = 'correct horse';
/** The same in every run, where pictures of two runs are compared. */
const NICKNAME = 'Goldsmith';
/** A changed destination or password blocks approvals for `HOLD_SECONDS`, 60 by default in the demo. */
const HOLD_WITHIN_MS = 90_000;

/** Fills a fresh demo with people and cases, through the APIs alone. */
export async function prepare(): Promise<People> {
  const [trader, odd, buyer, opener] = [
    await register(),
    await register(),
    await register(),
    await register(),
  ];
  const orders = await oddOrders(trader, odd);
  const { account, ...fresh } = await register();
  const rich = await payee({ balance: '2480.5' });
  await placePair(rich.token, 'USDT');
  await placeLong(rich.token, 'USDT');
  const [money, own, cases] = [await moveMoney(rich), await protect(rich), await fillDesks(rich)];
  const begun = await payee({ lacks: ['address', 'bank'] });
  const { token } = await register();
  await customerPost('protection/takeBreak', token, { hours: '24' });
  const resting = await withInfo(token);
  return {
    readers: {
      visitor: null,
      fresh,
      trader,
      resting,
      rich: await withInfo(rich.token),
      begun,
      odd,
      buyer,
      opener,
    },
    rich: { id: own, ...money },
    login: { account, password: PASSWORD },
    orders,
    cases,
  };
}

/** Orders in every state but void, which no call makes. */
async function oddOrders(trader: Reader, odd: Reader): Promise<People['orders']> {
  const settled = await wonOrder(trader.token);
  const open = await placeLong(trader.token);
  const tied = await tiedOrder(odd.token);
  return { open, settled, tied };
}

async function register(): Promise<Reader & { account: string }> {
  const account = `s${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}`;
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD };
  const { token } = await customerPost<Reader>('user/register', '', form);
  await customerPost('user/setUserName', token, { nickname: NICKNAME });
  return { ...(await withInfo(token)), account };
}

const withInfo = async (token: string): Promise<Reader> => ({
  token,
  userInfo: await customerGet('user/getUserInfo', token),
});

/** Orders of products that trade at any hour, which stay open while pictures are taken. @returns the number of the last one */
async function placeLong(token: string, asset = 'DEMO'): Promise<string> {
  await place(token, { symbol: 'LTC/USDT', direction: 'up', minutes: '30', asset });
  return (await place(token, { symbol: 'BTC/USDT', direction: 'down', minutes: '60', asset })).id;
}

/** Makes deposits and withdrawals in every state, and money that earns. */
async function moveMoney({ token }: Reader) {
  const cashier = await StaffDesk.open('cashier_1');
  for (const [amount, status, reason] of [
    ['120', 'failure', 'not_received'],
    ['60', 'ignored', 'duplicate'],
  ] as const) {
    const { id } = await announceDeposit(token, amount);
    await cashier.post('deposit/refuse', { id, status, reason });
  }
  const { id: deposit } = await announceDeposit(token, '350.5');
  await announceDeposit(token, '75');
  await customerPost('profit/transferIn', token, { asset: 'USDT', amount: '640.25' });
  const options = await customerGet<{ destinations: { id: string; asset: string }[] }>(
    'withdraw/options',
    token,
  );
  const destinationId = options.destinations.find(({ asset }) => asset === 'USDT')?.id ?? '';
  const withdraw = (amount: string) =>
    customerPost<{ id: string }>('withdraw/submit', token, {
      destinationId,
      asset: 'USDT',
      amount,
      payWord: WITHDRAWAL_PASSWORD,
    });
  const { id: returned } = await withdraw('100');
  await cashier.post('withdrawal/refuse', { id: returned, reason: 'payout_returned' });
  const { id: waiting } = await withdraw('200');
  const { id: paid } = await withdraw('50');
  const { content } = await cashier.post<{ content: string }>('withdrawal/propose', { id: paid });
  await approveAfterHold({ id: paid, content });
  await cashier.post('withdrawal/send', { id: paid, way: 'hand' });
  await cashier.post('withdrawal/pay', { id: paid, reference: 'tx-9f31c0a7d2' });
  const { id: back } = await withdraw('25');
  await customerPost('withdraw/cancel', token, { id: back });
  return { paid, returned, waiting, deposit };
}

/** Approves a withdrawal as soon as the hold ends. @throws Error for any other refusal */
async function approveAfterHold(fields: { id: string; content: string }): Promise<void> {
  const approver = await StaffDesk.open('approver_1');
  await approver.get('withdrawal/destination', { id: fields.id });
  await seen(
    () =>
      approver.post('withdrawal/approve', fields).then(
        () => true,
        (error: Error) => {
          if (error.message.includes('HOLD_LASTS')) return false;
          throw error;
        },
      ),
    { withinMs: HOLD_WITHIN_MS, everyMs: 2_000, what: 'the end of the hold' },
  );
}

/** Sets limits, a reminder and alerts. @returns the customer's number */
async function protect({ token, userInfo }: Reader): Promise<string> {
  for (const [kind, per, amount] of [
    ['stake', 'day', '2000'],
    ['loss', 'week', '1500'],
    ['deposit', 'month', '10000'],
  ] as const) {
    await customerPost('protection/setLimit', token, { asset: 'USDT', kind, per, amount });
  }
  await customerPost('protection/setLimit', token, {
    asset: 'USDT',
    kind: 'deposit',
    per: 'month',
    amount: '20000',
  });
  await customerPost('protection/setReminder', token, { minutes: '60' });
  for (const [symbol, price] of [
    ['BTC/USDT', '250000'],
    ['ETH/USDT', '100'],
    ['EUR/USD', '1.5'],
  ] as const) {
    await customerPost('alert/add', token, { symbol, price });
  }
  await customerPost('user/setUserName', token, { nickname: '金匠' });
  return (userInfo as { id: string }).id;
}

/** Makes conversations, names to verify, articles, and changes that wait for a second person. */
async function fillDesks({ token, userInfo }: Reader) {
  const { id: chat, account } = userInfo as { id: string; account: string };
  const say = (who: string, text: string) => customerPost('chat/send', who, { text });
  await say(token, '充值 350.50 USDT，14:18 提交，现在还在审核吗？');
  const proof = new Blob([new Uint8Array(paper(300, 210))], { type: 'image/png' });
  await customerPost('chat/send', token, { image: proof });
  const support = await StaffDesk.open('support_1');
  await support.post('chat/claim', { id: chat });
  await support.post('chat/note', {
    id: chat,
    key: 'n1',
    text: 'Proof matches the chain; the cashier has it.',
  });
  await support.post('chat/answer', {
    id: chat,
    key: 'a1',
    text: '收到。链上已确认 24 次，出纳正在核对，金额以核实为准。',
  });
  await say(token, '好的，到账后会有通知吗？');
  const help = { account, contact: 'me@mail.example', text: 'I lost my phone and my recovery codes.' };
  await customerPost('user/recoverRequest', '', help);
  for (let number = 0; number < 4; number += 1) {
    const other = await register();
    await say(other.token, 'How long does a withdrawal take?');
    await announceDeposit(other.token, String(500 * (number + 1)));
  }
  return { chat, ...(await askToVerify()), article: await write(), change: await propose(chat) };
}

async function askToVerify(): Promise<{ identity: string }> {
  const { token, userInfo } = await register();
  const picture = () => new Blob([new Uint8Array(paper(640, 400))], { type: 'image/png' });
  await customerPost('user/submitReal', token, {
    realName: '张三丰',
    idCountry: 'SG',
    idType: 'passport',
    idNumber: `E${(userInfo as { id: string }).id}7`,
    idAddress: '1 Raffles Place',
    currentAddress: '2 Marina Boulevard',
    idFront: picture(),
    idBack: picture(),
  });
  const queue = await (await StaffDesk.open('verification_1')).get('identity/queue', { limit: '1' });
  return {
    identity: ((await queue.json()) as { data: { items: { id: string }[] } }).data.items[0]?.id ?? '',
  };
}

async function write(): Promise<string> {
  const desk = await StaffDesk.open('content_1');
  const { id } = await desk.post<{ id: string }>('news/save', {
    category: 'notice',
    source: 'Fairtick',
    titleZh: '周日凌晨的维护',
    bodyZh: '## 时间\n\n周日 02:00 至 02:20，**不影响**已成交的订单。\n\n- 价格继续记录\n- 提现照常审核',
    titleEn: 'Maintenance early on Sunday',
    bodyEn: '## When\n\nSunday 02:00 to 02:20. Orders that stand are **not affected**.',
  });
  return id;
}

/** @returns the number of a change of the payout table */
async function propose(customerId: string): Promise<string> {
  const clerk = await StaffDesk.open('catalogue_1');
  const from = new Date(Date.now() + 5 * 86_400_000);
  await clerk.post('earning/propose', {
    asset: 'ETH',
    annualRate: '0.0125',
    from: from.toISOString().slice(0, 10),
    note: 'Money market rates fell',
  });
  const cashier = await StaffDesk.open('cashier_1');
  const correction = { customerId, asset: 'USDT', direction: 'up', amount: '12.5' };
  await cashier.post('correction/propose', { ...correction, reason: '昨日充值少记了 12.50 USDT' });
  const day = new Date().toISOString().slice(0, 10);
  const csv = `date,amount,reference,counterparty\n${day},75.00,FT${customerId} thanks,Goldsmith\n${day},-20,fee,The bank\n`;
  await cashier.post('statement/import', { asset: 'USD', file: Buffer.from(csv).toString('base64') });
  await cashier.post('reconciliation/run', {});
  const symbol = 'GBP/JPY';
  const product = await (await clerk.get('catalogue/product', { symbol })).json();
  const [first, ...rest] = (product as { data: { rules: { cycles: object[] } } }).data.rules.cycles;
  const { id } = await clerk.post<{ id: string }>('catalogue/propose', {
    kind: 'payout_table',
    symbols: symbol,
    rules: JSON.stringify({ cycles: [{ ...first, payoutRate: '0.81' }, ...rest] }),
    effectiveAt: String(from.getTime()),
    note: 'Rates as decided in November',
  });
  return id;
}
