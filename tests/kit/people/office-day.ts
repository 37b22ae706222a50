import { generate } from 'otplib';
import { Api, type Fields, register } from '../clients/api.ts';
import { SMALLEST_PICTURE } from '../hostile/request-generator.ts';
import type { PayingHouse } from '../processes/paying-house.ts';
import { day, OfficeDesk } from './office-desk.ts';
import { passDeposits, passTreasury, passWithdrawals } from './office-money.ts';
import { passBankFile, passPayouts, passScreening } from './office-payouts.ts';

const NEW_PASSWORD = 'a calm brass bell';
const HOUR_MS = 3_600_000;
/** Operations that no day has: they need a passkey, or a task, which a rule makes once an hour at most. */
export const NOT_OF_A_DAY = [
  'factor_confirmPasskey',
  'session_passkeyOptions',
  'session_stepUpOptions',
  'task_close',
];

/**
 * A day in an office that covers everything staff can do without a passkey: each operation succeeds once, called by staff with
 * the right role after its preconditions.
 */
export class OfficeDay extends OfficeDesk {
  #submissionId = '';
  #orderId = '';

  static async open({ server, office }: PayingHouse): Promise<OfficeDay> {
    const day = new OfficeDay(await Api.open(server.origin), office);
    await day.login();
    return day;
  }

  async pass(house: PayingHouse): Promise<void> {
    await this.#customerComes();
    await this.#names();
    await passDeposits(this);
    await passWithdrawals(this);
    await passBankFile(this);
    await passPayouts(this, house.chain);
    await passScreening(this, house);
    await passTreasury(this);
    await this.#catalogue();
    await this.#news();
    await this.#conversations();
    await this.#recoveries();
    await this.#restrictions();
    await this.#customerLists();
    await this.#looks();
    await this.#colleagues();
  }

  async #customerComes(): Promise<void> {
    this.customer = await register(this.customers);
    const { token, account } = this.customer;
    this.customerId = (await this.read('user/getUserInfo')).id;
    const name = {
      realName: 'Goldsmith',
      idCountry: 'SG',
      idType: 'passport',
      idNumber: account.toUpperCase(),
      idAddress: '1 Raffles Place',
      currentAddress: '2 Marina Boulevard',
    };
    await this.send('user/submitReal', name, ['idFront', 'idBack']);
    await this.send('user/setPayWord', { payWord: '135790', confirmPayWord: '135790' });
    await this.send('user/setAddress', { USDT: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' });
    for (let count = 0; count < 4; count += 1) {
      const { id } = await this.send('recharge/submit', { channelId: '1', amount: '200' }, ['proof']);
      this.depositIds.push(id);
    }
    await this.send('chat/send', { text: 'Where is my money?' });
    const order = { symbol: 'BTC/USDT', direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };
    const placed = this.customers.post('order/create', order, { token, key: 'order-of-the-day' });
    this.#orderId = (await this.done('order/create', placed)).id;
  }

  async #names(): Promise<void> {
    const who = 'verification_1';
    const { items } = await this.get(who, 'identity/queue');
    const id = items.find((item: { account: string }) => item.account === this.customer.account).id;
    this.#submissionId = id;
    await this.post(who, 'identity/claim', { id });
    await this.post(who, 'identity/release', { id });
    await this.post(who, 'identity/claim', { id });
    await this.get(who, 'identity/detail', { id });
    for (const side of ['front', 'back']) await this.get(who, 'identity/document', { id, side });
    await this.get(who, 'identity/reasons');
    await this.post(who, 'identity/decide', { id, verdict: 'verified' });
    await this.post(who, 'customer/find', { by: 'account', text: this.customer.account });
  }

  async #catalogue(): Promise<void> {
    const who = 'catalogue_1';
    const change = {
      kind: 'feed_rules',
      symbols: 'EUR/USD',
      effectiveAt: String(Date.now() + 3 * HOUR_MS),
      note: 'slower',
    };
    const first = await this.post(who, 'catalogue/propose', { ...change, rules: '{"quietMs":4321}' });
    const { id, content } = await this.get(who, 'catalogue/change', { id: first.id });
    await this.post('approver_1', 'catalogue/approve', { id, content });
    const windows = [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '15:30' }];
    const schedule = { zone: 'Asia/Tokyo', windows, holidays: ['2026-12-31'] };
    const other = { ...change, symbols: 'USD/JPY', rules: JSON.stringify({ schedule }) };
    const { id: second } = await this.post(who, 'catalogue/propose', other);
    await this.post(who, 'catalogue/refuse', { id: second, reason: 'not now' });
    await this.get(who, 'catalogue/newProduct');
    const names = { nameZh: '链环', nameTw: '鏈環', nameEn: 'Chain Link', aliases: 'lian huan' };
    const kind = { assetClass: 'crypto', decimals: '3', group: 'crypto', hours: 'round-the-clock' };
    const model = { reference: '14.5', volatility: '60', follows: 'currency:BTC', like: 'BTC/USDT' };
    const product = { symbol: 'LINK/USDT', ...names, ...kind, ...model, note: 'customers ask for it' };
    await this.post(who, 'catalogue/proposeProduct', product);
    for (const path of ['products', 'changes']) await this.get(who, `catalogue/${path}`);
    await this.get(who, 'catalogue/product', { symbol: 'EUR/USD' });
    await this.post(who, 'halt/start', { reason: 'a source lies' });
    const {
      present: [present],
    } = await this.get(who, 'halt/state');
    await this.post(who, 'halt/proposeLift', { id: present.id, note: 'it is gone' });
    const [halt] = (await this.get(who, 'halt/state')).present;
    const { content: lift } = halt.lift;
    await this.post('approver_1', 'halt/lift', { id: halt.id, content: lift });
    const rate = { asset: 'USDT', annualRate: '0.0123', from: day(10), note: 'a better rate' };
    const { id: rateId } = await this.post(who, 'earning/propose', rate);
    await this.post('approver_1', 'earning/decide', { id: rateId, verdict: 'agree' });
    for (const path of ['rates', 'totals', 'changes']) await this.get(who, `earning/${path}`);
  }

  async #news(): Promise<void> {
    const who = 'content_1';
    const cover = await this.post(who, 'news/cover', { picture: SMALLEST_PICTURE.toString('base64url') });
    await this.get(who, 'news/picture', { name: cover.name });
    await this.post(who, 'news/preview', { text: '# A heading' });
    const text = { category: 'notice', titleEn: 'A notice', bodyEn: 'Of something.', source: 'Us' };
    const saved = await this.post(who, 'news/save', { ...text, cover: cover.name });
    const { id } = saved;
    const version = String(saved.version);
    await this.get(who, 'news/queue');
    await this.get(who, 'news/article', { id });
    await this.post(who, 'news/publish', { id, version, at: String(Date.now() + HOUR_MS) });
    await this.post(who, 'news/unschedule', { id, version });
    await this.post(who, 'news/publish', { id, version });
    await this.post(who, 'news/withdraw', { id, reason: 'The date was wrong.' });
  }

  async #conversations(): Promise<void> {
    const who = 'support_1';
    const id = this.customerId;
    const picture = await this.send('chat/send', {}, ['image']);
    await this.get(who, 'chat/list');
    await this.get(who, 'chat/conversation', { id });
    await this.get(who, 'chat/image', { id: picture.id });
    await this.post(who, 'chat/claim', { id });
    await this.post(who, 'chat/answer', { id, key: 'answer-1', text: 'We look at it.' });
    await this.post(who, 'chat/note', { id, key: 'note-1', text: 'Kernbeisser' });
    await this.post(who, 'chat/seen', { id, place: '1' });
    await this.post(who, 'chat/typing', { id });
    await this.get(who, 'chat/canned');
    const canned = { title: 'Greeting again', zh: '你好', tw: '你好', en: 'Hello' };
    await this.post(who, 'chat/removeCanned', await this.post(who, 'chat/setCanned', canned));
    const colleagues = await this.get(who, 'chat/colleagues');
    const to = colleagues.find(({ name }: { name: string }) => name === 'support_2').id;
    await this.post(who, 'chat/handOver', { id, to });
    await this.post('support_2', 'chat/release', { id });
  }

  async #recoveries(): Promise<void> {
    const call = { account: this.customer.account, contact: 'me@mail.example', text: 'help' };
    const ask = async () => {
      await this.done('user/recoverRequest', this.customers.post('user/recoverRequest', call));
      const { items } = await this.get('support_1', 'recovery/queue');
      return items.at(-1).id as string;
    };
    const id = await ask();
    await this.get('support_1', 'recovery/detail', { id });
    await this.post('support_1', 'recovery/propose', { id, how: 'Compared passport and face' });
    const { content } = await this.get('verification_1', 'recovery/detail', { id });
    await this.get('verification_1', 'identity/detail', { id: this.#submissionId });
    await this.post('verification_1', 'recovery/approve', { id, content });
    await this.post('support_1', 'recovery/refuse', { id: await ask(), reason: 'not_proven' });
    const { account, password, token, recoveryCodes } = await register(this.customers);
    await this.done('user/newRecoveryCodes', this.customers.post('user/newRecoveryCodes', {}, { token }));
    const claim = { ...call, account, oldPassword: password, otp: recoveryCodes[0] as string };
    await this.done('user/takeBack', this.customers.post('user/takeBack', claim));
    const { items } = await this.get('support_1', 'recovery/queue');
    await this.post('support_1', 'recovery/keep', { id: items[0].id });
  }

  async #restrictions(): Promise<void> {
    const customerId = this.customerId;
    const reason = { reason: 'security', note: 'the customer called' };
    const orders = { customerId, what: 'orders', ...reason };
    const decide = ({ id }: { id: string }) =>
      this.post('approver_1', 'restriction/decide', { id, verdict: 'agree' });
    await this.post('support_1', 'restriction/freeze', { ...orders, hours: '24' });
    await decide(await this.post('verification_1', 'restriction/propose', orders));
    const order = { authority: 'District Court', reference: '3 K 112/26', note: 'by registered letter' };
    const held = { customerId, asset: 'USDT', amount: '5', ...order };
    await decide(await this.post('cashier_1', 'restriction/hold', held));
    const [{ id }] = await this.get('cashier_1', 'restriction/holds', { customerId });
    await decide(await this.post('cashier_1', 'restriction/liftHold', { id, note: 'the court lifted it' }));
    await this.get('auditor_1', 'restriction/freezes', { customerId });
    await this.get('auditor_1', 'restriction/list', { customerId });
    const who = 'verification_1';
    const rule = { rule: 'pass_through', isOn: 'true', bound: '90', days: '30', note: 'fewer tasks' };
    const { id: change } = await this.post(who, 'flagRule/propose', rule);
    await this.post('approver_1', 'flagRule/decide', { id: change, verdict: 'agree' });
    for (const path of ['flagRule/list', 'flagRule/changes', 'task/list']) await this.get(who, path);
  }

  async #customerLists(): Promise<void> {
    const who = 'support_1';
    const of = { id: this.customerId };
    const search = { realStatus: 'verified' };
    await this.get(who, 'customer/list', search);
    await this.post(who, 'customer/keepSearch', { name: 'Verified', ...search });
    await this.get(who, 'customer/searches');
    await this.post(who, 'customer/removeSearch', { name: 'Verified' });
    await this.post(who, 'customer/note', { ...of, text: 'called about a payment' });
    for (const path of ['notes', 'links']) await this.get(who, `customer/${path}`, of);
    for (const path of ['case', 'account']) await this.get(who, `order/${path}`, { id: this.#orderId });
  }

  async #looks(): Promise<void> {
    const of = { id: this.customerId };
    for (const path of ['detail', 'funds', 'orders', 'views'])
      await this.get('auditor_1', `customer/${path}`, of);
    for (const path of ['queues', 'house']) await this.get('auditor_1', `dashboard/${path}`);
    await this.get('admin_1', 'dashboard/steps');
    await this.get('auditor_1', 'sources/state');
    const report = { report: 'movements', format: 'jsonl', from: '0', to: '31536000000', reason: 'a report' };
    const { id } = await this.post('auditor_1', 'report/order', report);
    for (const path of ['file', 'note']) await this.get('auditor_1', `report/${path}`, { id });
    await this.get('auditor_1', 'report/list');
    await this.get('auditor_1', 'audit/list');
    await this.get('auditor_1', 'audit/chain', { from: '0' });
    await this.get('auditor_1', 'service/openapi');
  }

  async #colleagues(): Promise<void> {
    const [one, other] = ['admin_1', 'admin_2'] as const;
    for (const path of ['list', 'rules']) await this.get(one, `staff/${path}`);
    const made = await this.post(one, 'staff/create', {
      account: 'newcomer_1',
      name: 'Lin Mei',
      person: 'lin.mei',
    });
    const changes = await this.get(other, 'staff/changes');
    const enable = changes.items.find(({ staffId }: { staffId: string }) => staffId === made.id);
    await this.post(other, 'staff/carryOut', { id: enable.id });
    const grant = await this.post(one, 'staff/propose', {
      kind: 'grant',
      staffId: made.id,
      role: 'support',
    });
    await this.post(other, 'staff/refuse', { id: grant.id });
    await this.#ownAccount(made.oneTimePassword);
    await this.post(one, 'staff/disable', { id: made.id, reason: 'Left the company' });
    // A member of staff with no part in later steps.
    await this.post('content_1', 'staff/declareCustomer', { customerId: this.customerId });
  }

  /** Everything that staff do with their own account; done by a newcomer, so that nobody else has to log in again. */
  async #ownAccount(oneTimePassword: string): Promise<void> {
    const own = { account: 'newcomer_1', password: oneTimePassword };
    const step = async (api: Api, path: string, fields: Fields = {}) =>
      this.done(path, api.post(path, fields));
    const visitor = this.as('content_1');
    await this.done('session/login', visitor.post('session/login', own));
    const first = await Api.openOffice(this.office, own.account, oneTimePassword, visitor.document);
    const words = { oldPassword: oneTimePassword, password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD };
    await step(first, 'session/setPassword', words);
    await this.done('session/me', first.get('session/me'));
    await step(first, 'session/setLanguage', { language: 'en' });
    await step(first, 'session/stepUp', { password: NEW_PASSWORD });
    await Api.openOffice(this.office, own.account, NEW_PASSWORD, visitor.document);
    const sessions = await this.done('session/list', first.get('session/list'));
    const another = sessions.find(({ isThis }: { isThis: boolean }) => !isThis);
    await step(first, 'session/end', { id: another.id });
    await step(first, 'factor/beginPasskey');
    const { id, secret } = await step(first, 'factor/beginTotp');
    await step(first, 'factor/confirmTotp', { id, otp: await generate({ secret }) });
    await this.done('factor/list', first.get('factor/list'));
    await step(first, 'factor/remove', { id });
    await step(first, 'session/logout');
    for (const [operation, codes] of first.answered)
      if (codes.has('done')) this.as('auditor_1').answered.set(operation, codes);
  }
}
