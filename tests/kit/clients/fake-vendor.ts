import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { VendorSettings } from '../../../apps/server/src/config/vendor-file.ts';
import { forFile } from '../fixtures/fixture.ts';
import { freePort } from '../processes/processes.ts';

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export interface Inquiry {
  readonly reference: string;
  readonly asked: any;
  state: string;
  code?: string;
}

type Lie = (request: IncomingMessage, response: ServerResponse) => void;

/** An event as it is sent; each part may be false. */
export interface SentEvent {
  readonly id?: string;
  readonly at?: Date;
  readonly secret?: string;
  readonly body?: string;
  readonly signature?: string;
}

export interface FakeVendor {
  readonly url: string;
  readonly settings: VendorSettings;
  readonly inquiries: ReadonlyMap<string, Inquiry>;
  /** Method and path of each request. */
  readonly requests: readonly string[];
  /** The vendor's own state, of which no event tells. */
  judge(reference: string, state: string, code?: string): void;
  /** What answers in its place; null: it answers itself. */
  behave(lie: Lie | null): void;
}

/** A vendor over HTTP, as docs/VENDORS.md describes one: no real vendor is at hand. */
export const fakeVendor = (changes: Partial<VendorSettings> = {}): FakeVendor =>
  forFile(
    async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const settings: VendorSettings = {
        name: 'acme',
        api: url,
        apiKey: randomBytes(16).toString('hex'),
        webhookSecrets: [newSecret(), newSecret()],
        judges: ['identity', 'address'],
        fields: ['realName', 'idCountry'],
        lateMinutes: 60,
        ...changes,
      };
      const inquiries = new Map<string, Inquiry>();
      const requests: string[] = [];
      let lie: Lie | null = null;
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        requests.push(`${request.method} ${request.url}`);
        if (lie) return lie(request, response);
        const say = (status: number, answer: unknown) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
        if (request.headers.authorization !== `Bearer ${settings.apiKey}`) return void say(401, {});
        const reference = request.url?.match(/^\/inquiries\/([0-9a-f-]{36})$/)?.[1] ?? '';
        if (request.method === 'PUT' && !inquiries.has(reference)) {
          const asked = JSON.parse(Buffer.concat(chunks).toString());
          inquiries.set(reference, { reference, asked, state: 'pending' });
        }
        const known = inquiries.get(reference);
        if (!known) return void say(404, {});
        const { state, code = null } = known;
        say(200, { reference, state, code, case: `case-${reference.slice(0, 8)}` });
      });
      await new Promise<void>((done) => server.listen(Number(new URL(url).port), '127.0.0.1', done));
      return {
        url,
        settings,
        inquiries,
        requests,
        judge: (reference: string, state: string, code?: string) => {
          Object.assign(inquiries.get(reference) as Inquiry, { state, code });
        },
        behave: (next: Lie | null) => {
          lie = next;
        },
        stop: () =>
          new Promise<void>((done) => {
            server.closeAllConnections();
            server.close(() => done());
          }),
      };
    },
    (own) => own.stop(),
  );

/** Sends an event to the API, and returns its answer. */
export async function sendEvent(
  origin: string,
  { name, webhookSecrets: [first = ''] }: VendorSettings,
  reference: string,
  { id = `msg_${randomUUID()}`, at = new Date(), secret = first, body, signature }: SentEvent = {},
): Promise<Response> {
  const text =
    body ??
    JSON.stringify({
      type: 'inquiry.changed',
      timestamp: at.toISOString(),
      data: { reference, state: 'clear' },
    });
  return fetch(`${origin}/hooks/vendor/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature ?? new Webhook(secret).sign(id, at, text),
    },
    body: text,
  });
}
