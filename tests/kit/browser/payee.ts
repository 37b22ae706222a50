import { paper } from '../people/paper.ts';
import { newAccount, origin, PASSWORD } from './browser.ts';
import type { Account } from './trader.ts';

/** Customers who deposit and withdraw, and the staff who decide, all over the API. */
export const WITHDRAWAL_PASSWORD = '135790';
/** An address on Tron with a valid checksum. */
const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const DEMO_STAFF_PASSWORD = 'Staff-1234';

interface Envelope<T> {
  readonly code: number;
  readonly msg: string;
  readonly error?: string;
  readonly data: T;
}

async function read<T>(what: string, answer: Response): Promise<T> {
  const envelope = (await answer.json()) as Envelope<T>;
  if (envelope.code !== 1) throw new Error(`${what}: ${envelope.msg} (${envelope.error})`);
  return envelope.data;
}

/** A customer's POST that must succeed. */
export async function customerPost<T>(
  path: string,
  token: string,
  fields: Record<string, string | Blob> = {},
  base = origin(),
): Promise<T> {
  const hasPictures = Object.values(fields).some((value) => value instanceof Blob);
  const body = hasPictures ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries({ lang: 'en', ...fields })) body.append(name, value as string);
  return read(
    path,
    await fetch(`${base}/api/${path}`, { method: 'POST', headers: { token, language: 'en' }, body }),
  );
}

export async function customerGet<T>(path: string, token: string, base = origin()): Promise<T> {
  return read(path, await fetch(`${base}/api/${path}?lang=en`, { headers: { token } }));
}

/** A member of the demo's staff who calls the office's API. */
export class StaffDesk {
  readonly #office: string;
  #cookie = '';

  private constructor(office: string) {
    this.#office = office;
  }

  static async open(account: string, office = process.env.FAIRTICK_OFFICE): Promise<StaffDesk> {
    if (!office) throw new Error('the server is started by the global setup');
    const desk = new StaffDesk(office);
    await desk.post('session/login', { account, password: DEMO_STAFF_PASSWORD });
    return desk;
  }

  get(path: string, fields: Record<string, string>): Promise<Response> {
    return this.#send(`${path}?${new URLSearchParams(fields)}`, { method: 'GET' });
  }

  async post<T>(path: string, fields: Record<string, string>): Promise<T> {
    return read(path, await this.#send(path, { method: 'POST', body: new URLSearchParams(fields) }));
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(`${this.#office}/api/${path}`, {
      ...init,
      headers: { 'x-office': '1', language: 'en', cookie: this.#cookie },
    });
    this.#cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? this.#cookie;
    return answer;
  }
}

let evidence = 0;
/** Staff record exactly the claimed amount; one cashier is enough. */
export async function creditDeposit(cashier: StaffDesk, id: string, amount: string): Promise<void> {
  evidence += 1;
  await cashier.post('deposit/find', { id, amount, evidence: `journey ${process.pid} ${evidence}` });
}

/** Submits a deposit with a picture. */
export async function announceDeposit(
  token: string,
  amount: string,
  base = origin(),
  picture = paper(300, 420),
): Promise<{ id: string }> {
  const proof = new Blob([new Uint8Array(picture)], { type: 'image/png' });
  return customerPost('recharge/submit', token, { channelId: '1', amount, proof }, base);
}

type Step = 'payWord' | 'address' | 'bank';

/** A customer who may withdraw: verified, with a withdrawal password, an address and a card, without the steps in `lacks`. */
export async function payee(
  options: { balance?: string; lacks?: readonly Step[]; base?: string; office?: string } = {},
): Promise<Account> {
  const base = options.base ?? origin();
  const account = newAccount();
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD };
  const customer = await customerPost<Account>('user/register', '', form, base);
  const { token } = customer;
  const card = { holder: 'Goldsmith', bank: 'First Bank', branch: 'Main', cardNumber: '4242424242424242' };
  const steps = {
    payWord: ['user/setPayWord', { payWord: WITHDRAWAL_PASSWORD, confirmPayWord: WITHDRAWAL_PASSWORD }],
    address: ['user/setAddress', { USDT: ADDRESS }],
    bank: ['user/setBank', card],
  } as const;
  for (const [step, [path, fields]] of Object.entries(steps)) {
    if (!options.lacks?.includes(step as Step)) await customerPost(path, token, fields, base);
  }
  await verify(token, account, options);
  if (options.balance) {
    const { id } = await announceDeposit(token, options.balance, base);
    // Not the cashier that journeys use: the amounts that one cashier credits in a day add up.
    await creditDeposit(await StaffDesk.open('cashier_2', options.office), id, options.balance);
  }
  return { token, userInfo: await customerGet('user/getUserInfo', token, base) };
}

async function verify(
  token: string,
  account: string,
  options: { base?: string; office?: string },
): Promise<void> {
  const picture = () => new Blob([new Uint8Array(paper(640, 400))], { type: 'image/png' });
  await customerPost(
    'user/submitReal',
    token,
    {
      realName: 'Goldsmith',
      idCountry: 'SG',
      idType: 'passport',
      idNumber: account.toUpperCase(),
      idAddress: '1 Raffles Place',
      currentAddress: '2 Marina Boulevard',
      idFront: picture(),
      idBack: picture(),
    },
    options.base,
  );
  await decideName(account, { verdict: 'verified' }, options.office);
}

/** Decides a submitted real name, as staff do. */
export async function decideName(
  account: string,
  verdict: Record<string, string>,
  office?: string,
): Promise<void> {
  const desk = await StaffDesk.open('verification_1', office);
  const queue = await desk.get('identity/queue', { limit: '100' });
  const { items } = await read<{ items: { id: string; account: string }[] }>('identity/queue', queue);
  const id = items.find((item) => item.account === account)?.id;
  if (id === undefined) throw new Error(`${account} is not in the queue`);
  await desk.post('identity/claim', { id });
  // A name can be decided only by staff who have viewed all of it.
  await desk.get('identity/detail', { id });
  for (const side of ['front', 'back']) await desk.get('identity/document', { id, side });
  await desk.post('identity/decide', { id, ...verdict });
}
