import { type Answer, Api, type Customer, type Fields } from '../clients/api.ts';
import { SMALLEST_PICTURE } from '../hostile/request-generator.ts';
import { seen } from '../waiting/until.ts';

const PASSWORD = 'Staff-1234';
const ACCOUNTS = [
  'admin_1',
  'admin_2',
  'cashier_1',
  'approver_1',
  'support_1',
  'support_2',
  'verification_1',
  'catalogue_1',
  'content_1',
  'auditor_1',
] as const;
export type Colleague = (typeof ACCOUNTS)[number];

/** The staff of an office, logged in, and one customer: each request must succeed. */
export class OfficeDesk {
  readonly staff = new Map<Colleague, Api>();
  readonly customers: Api;
  readonly office: string;
  customer!: Customer;
  customerId = '';
  readonly depositIds: string[] = [];
  /** Existing ids that random requests may name. */
  readonly ids: string[] = [];

  constructor(customers: Api, office: string) {
    this.customers = customers;
    this.office = office;
  }

  async login(): Promise<void> {
    for (const account of ACCOUNTS)
      this.staff.set(account, await Api.openOffice(this.office, account, PASSWORD));
  }

  as(account: Colleague): Api {
    return this.staff.get(account) as Api;
  }

  /** Operations that have not succeeded yet, by their id. */
  notDone(): string[] {
    const all = Object.values(this.as('auditor_1').document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    return all.filter((id) => ![...this.staff.values()].some((api) => api.answered.get(id)?.has('done')));
  }

  async done(about: string, asked: Promise<Answer>): Promise<any> {
    const { body } = await asked;
    if (body.code !== 1) throw new Error(`${about}: ${JSON.stringify(body)}`);
    for (const value of [body.data?.id, body.data?.items?.[0]?.id])
      if (typeof value === 'string') this.ids.unshift(value);
    return body.data;
  }

  get(who: Colleague, path: string, fields: Fields = {}) {
    return this.done(`${who} ${path}`, this.as(who).get(path, fields));
  }

  post(who: Colleague, path: string, fields: Fields = {}) {
    return this.done(`${who} ${path}`, this.as(who).post(path, fields));
  }

  /** What the customer reads. */
  read(path: string) {
    return this.done(path, this.customers.get(path, {}, { token: this.customer.token }));
  }

  /** Submits a form of the customer's; with a picture it is multipart. */
  send(path: string, fields: Fields, pictures: readonly string[] = []) {
    const { token } = this.customer;
    if (pictures.length === 0) return this.done(path, this.customers.post(path, fields, { token }));
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    for (const name of pictures) body.append(name, new Blob([new Uint8Array(SMALLEST_PICTURE)]), 'p.png');
    return this.done(path, this.customers.send('post', `/api/${path}`, { token, body }));
  }

  /** The customer asks for a withdrawal to the first destination of this asset. */
  async withdrawal(asset: string, amount: string): Promise<string> {
    const { destinations } = await this.read('withdraw/options');
    const { id: destinationId } = destinations.find((one: { asset: string }) => one.asset === asset);
    return (await this.send('withdraw/submit', { asset, amount, payWord: '135790', destinationId })).id;
  }

  /** A cashier proposes a withdrawal, and an approver agrees once the hold on the new destination ends, one second here. */
  async approve(id: string): Promise<void> {
    const { content } = await this.post('cashier_1', 'withdrawal/propose', { id });
    await this.get('approver_1', 'withdrawal/destination', { id });
    const approve = async () => {
      const { body } = await this.as('approver_1').post('withdrawal/approve', { id, content });
      if (body.code !== 1 && body.error !== 'HOLD_LASTS')
        throw new Error(`withdrawal/approve: ${body.error}`);
      return body.code === 1;
    };
    await seen(approve, { withinMs: 60_000, everyMs: 100, what: 'the end of the hold' });
  }
}

/** The UTC date `from` days from today. */
export const day = (from: number): string =>
  new Date(Date.now() + from * 24 * 3_600_000).toISOString().slice(0, 10);
