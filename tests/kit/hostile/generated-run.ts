import { expect } from 'vitest';
import { Api, type Customer, newKey, openSymbol, register } from '../clients/api.ts';
import { seen } from '../waiting/until.ts';
import { Random } from './random.ts';
import {
  brokenRequest,
  type Known,
  type MadeRequest,
  mutatedRequest,
  type OperationToTry,
  operationsOf,
  plainRequest,
  validRequest,
} from './request-generator.ts';

/** Operations that end sessions, change what opens them or bind what a customer may do get a customer of their own. */
const SPENDS_A_CUSTOMER = new Set([
  'logout',
  'setPassword',
  'recover',
  'endSession',
  'closeAccount',
  'setLimit',
  'takeBreak',
  'selfExclude',
]);

/** What staff have to allow first; the journeys of the office do it. */
const NEEDS_STAFF = new Set([
  'withdrawSubmit',
  'withdrawDetail',
  'withdrawCancel',
  'profitTransferIn',
  'profitTransferOut',
]);
/** What only somebody with an authenticator can do; the journey of second factors does it. */
const NEEDS_DEVICE = new Set([
  'passkeyOptions',
  'reauthOptions',
  'takeBack',
  'takeBackOptions',
  'confirmTotp',
  'confirmPasskey',
  'removeFactor',
]);
/** What only a witness whose key the house has chosen can do; the tests of witnesses do it. */
const NEEDS_WITNESS = new Set(['transparencyCosign']);
/** What comes only when an order has settled, a minute later: the tests of receipts ask for it in every form. */
const NEEDS_TIME = new Set(['orderReceipt']);
const canBeDone = (id: string): boolean =>
  !NEEDS_STAFF.has(id) && !NEEDS_DEVICE.has(id) && !NEEDS_WITNESS.has(id) && !NEEDS_TIME.has(id);
/** Whose `id` is another operation's. */
const ID_OF: Readonly<Record<string, string>> = {
  setBank: 'setBank',
  removeBank: 'setBank',
  newsDetail: 'newsList',
  rechargeDetail: 'rechargeSubmit',
  rechargeCancel: 'rechargeSubmit',
};

const MAKERS = {
  plain: plainRequest,
  valid: validRequest,
  mutated: mutatedRequest,
  broken: (operation: OperationToTry, _known: Known, from: Random) => brokenRequest(operation, from),
} as const;
/** Mutations twice: there are more ways to be wrong. */
const KINDS = ['valid', 'mutated', 'mutated', 'broken'] as const;
/** How many values of a field are remembered from answers. */
const REMEMBERED = 20;

export interface Counts {
  done: number;
  refused: number;
  readonly byStatus: Map<number, number>;
}

/**
 * A client that makes its requests of the document, and takes what it is answered into those that follow: ids, cursors,
 * symbols. Every answer is held against the document by {@link Api}.
 */
export class GeneratedRun {
  readonly api: Api;
  readonly symbol: string;
  readonly customer: Customer;
  readonly counts: Counts = { done: 0, refused: 0, byStatus: new Map() };
  readonly #seed: number;
  readonly #random: Random;
  readonly #learnt = new Map<string, string[]>();

  private constructor(parts: { api: Api; symbol: string; customer: Customer; seed: number }) {
    this.api = parts.api;
    this.symbol = parts.symbol;
    this.customer = parts.customer;
    this.#seed = parts.seed;
    this.#random = new Random(parts.seed);
  }

  /** A customer with an order, at a server that is ready. */
  static async open(origin: string, seed: number): Promise<GeneratedRun> {
    const api = await Api.open(origin);
    const symbol = await openSymbol(api);
    const run = new GeneratedRun({ api, symbol, customer: await register(api), seed });
    await run.#firstOrder();
    return run;
  }

  /** So many requests to each operation, the first of them plain: it must be done. */
  async tryEach(requests: number): Promise<void> {
    for (const operation of operationsOf(this.api.document)) {
      const spends = SPENDS_A_CUSTOMER.has(operation.id);
      // Whose session may end under these requests; every fourth has one of its own, that what is valid can be done.
      let as = spends ? await register(this.api) : this.customer;
      for (let n = 0; n < requests; n += 1) {
        if (spends && n % 4 === 0) as = await register(this.api);
        await this.#try(operation, n === 0 ? 'plain' : this.#random.of(KINDS), as);
      }
    }
  }

  /** Requests to any operation in any order, each with what those before it were answered. */
  async wander(requests: number): Promise<void> {
    const operations = operationsOf(this.api.document);
    let passing = await register(this.api);
    for (let n = 0; n < requests; n += 1) {
      const operation = this.#random.of(operations);
      if (n % 40 === 0) passing = await register(this.api);
      await this.#try(
        operation,
        this.#random.of(KINDS),
        SPENDS_A_CUSTOMER.has(operation.id) ? passing : this.customer,
      );
    }
  }

  /** The customer trades as before, whatever was asked. */
  async stillTrades(): Promise<void> {
    const { token } = this.customer;
    await this.api.post('fund/resetDemo', {}, { token, key: newKey() });
    const order = { symbol: this.symbol, direction: 'down', minutes: '1', amount: '10', asset: 'DEMO' };
    const { body } = await this.api.post('order/create', order, { token, key: newKey() });
    expect(body.error).toBeUndefined();
  }

  /** Operations that were never done. */
  notReached(): string[] {
    return operationsOf(this.api.document)
      .map(({ id }) => id)
      .filter((id) => canBeDone(id) && !this.api.answered.get(id)?.has('done'));
  }

  async #try(operation: OperationToTry, kind: keyof typeof MAKERS, as: Customer): Promise<void> {
    const request = MAKERS[kind](operation, this.#known(operation, as), this.#random);
    const { status, body } = await this.#send(operation, request, as);
    const { counts } = this;
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
    counts[body.code === 1 ? 'done' : 'refused'] += 1;
    if (kind === 'plain' && canBeDone(operation.id))
      expect([operation.id, body.code, body.error]).toEqual([operation.id, 1, undefined]);
    if (body.code !== 1) return;
    this.#learn(body.data);
    if (operation.id === 'rechargeChannels') {
      const channel = body.data.find(({ asset }: { asset: string }) => asset === 'USDT');
      this.#remember('channel', channel.id);
    }
    const [article] = operation.id === 'newsList' ? body.data.items : [];
    if (article) this.#remember('newsList', article.id);
    else if (Object.values(ID_OF).includes(operation.id) && body.data.id)
      this.#remember(operation.id, body.data.id);
  }

  async #send(operation: OperationToTry, request: MadeRequest, as: Customer) {
    const isLoggedIn = request.isValid || this.#random.isLikely(0.9);
    const call = {
      ...request.call,
      ...(isLoggedIn ? { token: as.token } : {}),
      ...(operation.takesKey && this.#random.isLikely(0.8) ? { key: newKey() } : {}),
    };
    try {
      return await this.api.send(operation.method, request.address, call);
    } catch (error) {
      const what = `${operation.id} (${request.description}) ${request.address.slice(0, 300)} ${String(request.call.body).slice(0, 500)}`;
      throw new Error(`seed ${this.#seed}: ${what}\n${error}`);
    }
  }

  /** What this client knows by now, by the name of the field that takes it. */
  #known(operation: OperationToTry, as: Customer): Known {
    const fresh = `g${Math.floor(this.#random.next() * 1e15).toString(36)}`.slice(0, 18);
    const learnt = (field: string) => this.#learnt.get(field) ?? [];
    const ids = learnt('id');
    return {
      symbol: [this.symbol, ...learnt('symbol')],
      asset: ['DEMO', ...learnt('asset')],
      minutes: operation.id === 'setReminder' ? ['60'] : ['1', '3'],
      channelId: learnt('channel'),
      id: learnt(ID_OF[operation.id] ?? 'id'),
      account: operation.id === 'register' ? [fresh] : [as.account],
      password: /register|setPassword|recover/.test(operation.id) ? [`new ${fresh}`] : [as.password],
      oldPassword: [as.password],
      recoveryCode: as.recoveryCodes,
      cursor: [...ids, ...learnt('nextCursor')],
      size: ['1', '2', '50', ...learnt('size')],
      index: ['0', '1'],
      fromSize: ['0', '1'],
      seenSize: learnt('size'),
      seenRoot: learnt('root'),
    };
  }

  /** Remembers what stands in an answer under names that requests use too. */
  #learn(data: unknown): void {
    if (Array.isArray(data)) for (const item of data.slice(0, 5)) this.#learn(item);
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return;
    for (const [name, value] of Object.entries(data)) {
      if (typeof value === 'object') this.#learn(value);
      else if (LEARNT.has(name) && value !== '') this.#remember(name, String(value));
    }
  }

  #remember(name: string, value: string): void {
    const values = this.#learnt.get(name) ?? [];
    if (values.includes(value)) return;
    this.#learnt.set(name, [value, ...values].slice(0, REMEMBERED));
  }

  async #firstOrder(): Promise<void> {
    const order = { symbol: this.symbol, direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };
    const place = async () => {
      const { body } = await this.api.post('order/create', order, {
        token: this.customer.token,
        key: newKey(),
      });
      return body.code === 1 && body.data;
    };
    this.#learn(await seen(place, { withinMs: 45_000, everyMs: 100, what: 'an order that is taken' }));
  }
}

const LEARNT = new Set(['id', 'symbol', 'asset', 'nextCursor', 'size', 'root']);
